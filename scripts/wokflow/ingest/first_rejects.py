"""The first rejects of a source, which are left to look at if it is refused."""

from collections.abc import Iterable
from pathlib import Path

from wokflow.frame.sheets import write_sheet

REFUSED = "refused.tsv"  # beside the table of rejects
HEADER = ("source_row", "reason", "detail", "raw")
SAMPLES, TOLD = 1_000, 3  # rejects that are kept, and told
BEGINNING = 1_000  # characters of a reject that are kept

Rejected = tuple[int, str, str | None, str]  # source_row, reason, detail, raw


class FirstRejects:
    """The first SAMPLES rejects; `table` is a part of the table of rejects that they are on the way to."""

    def __init__(self, table: str | Path) -> None:
        """A sheet that an earlier try left is removed."""
        self._sheet = Path(table).parent / REFUSED
        self._sheet.unlink(missing_ok=True)
        self._rows: list[Rejected] = []

    def add(self, rejects: Iterable[Rejected]) -> None:
        """Keep these, too; those behind the first SAMPLES are left out."""
        for row, reason, detail, raw in rejects:
            if len(self._rows) == SAMPLES:
                return
            self._rows.append((row, reason, detail, raw[:BEGINNING]))

    def written(self) -> str:
        """Write them as a sheet; a sentence on them and a space for a message. Without rejects neither, but ''."""
        if not self._rows:
            return ""
        cells = [["" if cell is None else str(cell) for cell in row] for row in self._rows]
        write_sheet(self._sheet, HEADER, cells)
        told = "; ".join(
            f"row {row}: {reason}" + (f" ({detail})" if detail else "")
            for row, reason, detail, _ in self._rows[:TOLD]
        )
        more = f"; more are in {self._sheet}" if len(self._rows) > TOLD else f" (see {self._sheet})"
        return f"The first rejects: {told}{more}. "
