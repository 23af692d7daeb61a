"""Files that are never a corpus, known by their first bytes: of what kind they are, and what to do."""

import re

HEAD = 512
_WEB_PAGE = (b"<!doctype html", b"<html", b"<head")
WORKBOOK = (
    "is an Excel workbook: name the file as it was published, or save the sheet as CSV UTF-8 (with commas)"
)
DOCUMENTS = {  # what the names of files begin with in zip archives that are documents
    "xl/workbook.": WORKBOOK,
    "word/document.": "is a document of Word: name the file as it was published",
    "Index/Document.iwa": "is a document of Numbers or Pages: name the file as it was published, or save it as CSV",
}
DOCUMENT = "is a document of LibreOffice: name the file as it was published, or save it as CSV (UTF-8)"
TAR = "is a tar archive, which is not read: unpack it (tar -xf), and name the file that it holds"
PART = (
    "is one part of a zip archive in several: fetch all, and join them (zip -s 0 PARTS.zip --out WHOLE.zip)"
)
_AS_PUBLISHED = "name the file as it was published"
_FOREIGN = {
    b"\xd0\xcf\x11\xe0": WORKBOOK,
    b"\xfd7zXZ\0": "is an xz archive, which is not read: unpack it with unxz",
    b"\x5d\0\0": "is an lzma archive, which is not read: unpack it with unlzma",
    b"LZIP\1": "is an lzip archive, which is not read: unpack it with lzip -d",
    b"\x04\x22\x4d\x18": "is an lz4 archive, which is not read: unpack it with lz4 -d",
    b"\x1f\x9d": "is an archive of compress, which is not read: unpack it with uncompress",
    b"7z\xbc\xaf\x27\x1c": "is a 7z archive, which is not read: unpack it",
    b"Rar!\x1a": "is a RAR archive, which is not read: unpack it",
    b"PK\7\x08": PART,
    b"PAR1": f"is a Parquet file: {_AS_PUBLISHED}",
    b"ARROW1": f"is an Arrow or Feather file: {_AS_PUBLISHED}",
    b"\x89HDF": f"is an HDF5 file: {_AS_PUBLISHED}",
    b"SQLite format 3\0": f"is a SQLite database: {_AS_PUBLISHED}",
    b"\x80\4\x95": f"is a pickle of Python: {_AS_PUBLISHED}",
    b"\x80\5\x95": f"is a pickle of Python: {_AS_PUBLISHED}",
    b"version https://git-lfs": "is a pointer of Git LFS in place of the file: fetch that with git lfs pull",
    b"Obj\1": f"is an Avro file: {_AS_PUBLISHED}",
    b"MSCF\0": "is a cabinet archive of Windows, which is not read: unpack it",
    b"%PDF-": f"is a PDF: {_AS_PUBLISHED}",
    b"{\\rtf": f"is a document with formats (RTF): {_AS_PUBLISHED}",
}


def foreign(head: bytes) -> str | None:
    """The kind of a file that is never a corpus, whatever its name, and what to do; None for all others."""
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith(_WEB_PAGE):
        return "is a web page, as sites send in place of a file to be logged in for: fetch the file again"
    if _is_tar(head):
        return TAR
    return next((kind for magic, kind in _FOREIGN.items() if head.startswith(magic)), None)


def _is_tar(head: bytes) -> bool:
    """Whether a file begins with the header of a tar archive, also of the oldest form, which only its sum tells."""
    stated = head[148:156].strip(b" \0")
    if not re.fullmatch(rb"[0-7]{1,7}", stated) or len(head) < HEAD:
        return head[257:262] == b"ustar"
    return int(stated, 8) == sum(head[:148]) + sum(b" " * 8) + sum(head[156:HEAD])
