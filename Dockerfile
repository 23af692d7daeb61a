# Wokflow's packages in a container, of the same pins as .venv: constraints.txt, with hashes. See docs/installation.md.
#   docker build --tag wokflow .
FROM python:3.11.13-slim-bookworm

RUN apt-get update \
 && apt-get install --yes --no-install-recommends make \
 && rm -rf /var/lib/apt/lists/*

WORKDIR /opt/wokflow
COPY Makefile constraints.txt requirements.tsv pyproject.toml ./
COPY scripts/pins.py scripts/
# A folder with another build of torch, such as that for CPUs, may be given: --build-arg PIP_EXTRA_INDEX_URL=...
ARG PIP_EXTRA_INDEX_URL
RUN PIP_NO_CACHE_DIR=1 UV_NO_CACHE=1 make setup-hub PYTHON=python3.11 \
 && rm -rf .venv/torch

ENV PATH=/opt/wokflow/.venv/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1
WORKDIR /work
CMD ["snakemake", "--help"]
