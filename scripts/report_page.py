from pathlib import Path
Path(snakemake.output.page).write_text("soon")
