"""Raw corpora to recipes and rejects."""

import os

# Block by block, ingest needs the same memory again. By default the allocator in polars gives freed memory back after
# half a second, and large pieces at once; kept, ingest takes about a tenth less time.
os.environ.setdefault("_RJEM_MALLOC_CONF", "dirty_decay_ms:-1,oversize_threshold:0,background_thread:false")
