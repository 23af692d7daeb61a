"""The first rejects of a source, kept for people to look at if the source is refused."""

from collections.abc import Iterable
from pathlib import Path

from wokflow.frame.tsv_sheets import write_sheet

REFUSED = "refused.tsv"  # beside the table of rejects
HEADER = ("source_row", "reason", "detail", "raw")
SAMPLES, TOLD = 1_000, 3  # rejects that are kept, and that a message names
BEGINNING = 1_000  # characters of a reject that are kept

Rejected = tuple[int, str, str | None, str]  # source_row, reason, detail, raw


class FirstRejects:
    """The first SAMPLES rejects; `table` is a part of the table to which all rejects are written."""

    def __init__(self, table: str | Path) -> None:
        """Remove the sheet that an earlier attempt left."""
        self._sheet = Path(table).parent / REFUSED
        self._sheet.unlink(missing_ok=True)
        self._rows: list[Rejected] = []

    def add(self, rejects: Iterable[Rejected]) -> None:
        """Keep rejects, up to SAMPLES in all."""
        for row, reason, detail, raw in rejects:
            if len(self._rows) == SAMPLES:
                return
            self._rows.append((row, reason, detail, raw[:BEGINNING]))

    def written(self) -> str:
        """Write the rejects as a sheet; return a sentence about them for a message, or '' if there are none."""
        if not self._rows:
            return ""
        cells = [["" if cell is None else str(cell) for cell in row] for row in self._rows]
        write_sheet(self._sheet, HEADER, cells)
        examples = "; ".join(
            f"row {row}: {reason}" + (f" ({detail})" if detail else "")
            for row, reason, detail, _ in self._rows[:TOLD]
        )
        more = f"; more are in {self._sheet}" if len(self._rows) > TOLD else f" (see {self._sheet})"
        return f"The first rejects: {examples}{more}. "
