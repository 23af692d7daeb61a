"""Input functions: what steps read, and the frontiers that stand before expensive ones.

A frontier is a checkpoint with a small file that says what came out. The step behind it reads the output as
ancient(), and has the small file's digest in its key: what is equal stops there.
"""


def source_file(wildcards):
    return config["sources"][wildcards.corpus]["path"]


def ingest_source(wildcards):
    return checkpoints.ingest_source.get(**wildcards).output.source


def match_titles(wildcards):
    return checkpoints.match_titles.get(corpus=wildcards.corpus).output.digest


def match_titles_table(wildcards):
    return checkpoints.match_titles.get(corpus=wildcards.corpus).output.titles


def match_texts(wildcards):
    return checkpoints.match_texts.get(corpus=wildcards.corpus).output.digest


def match_texts_table(wildcards):
    return checkpoints.match_texts.get(corpus=wildcards.corpus).output.texts


def translated(wildcards):
    return shards(f"match/translate/{wildcards.corpus}", "parquet", MATCH["translate"]["shards"])


def translate_backend(wildcards):
    """Titles in the pivot language stay as they are."""
    return "none" if CORPORA[wildcards.corpus] == PIVOT_LANG else MATCH["translate"]["backend"]


def translate_key(wildcards):
    """The key of match_translate: only the settings that the backend reads, and the lexicon only for it."""
    backend = translate_backend(wildcards)
    reads = [MATCH["translate"]["lexicon"]] if backend == "lexicon" else []
    unread = () if backend == "hub" else ("model", "revision", "beams", "batch")
    unread += ("backend",) if CORPORA[wildcards.corpus] == PIVOT_LANG else ()
    of = key("match.translate", match_titles, without=("shards", "lexicon", *unread), reads=reads)
    return of(wildcards)


def source_translations(wildcards):
    return checkpoints.match_texts.get(corpus=source_corpus(wildcards)).output.translations_digest


def target_translations(wildcards):
    return checkpoints.match_texts.get(corpus=target_corpus(wildcards)).output.translations_digest


def translations_of(corpus):
    def table(wildcards):
        return checkpoints.match_texts.get(corpus=corpus(wildcards)).output.translations

    return table


def source_vectors(wildcards):
    return checkpoints.match_vectors.get(corpus=source_corpus(wildcards)).output.digest


def target_vectors(wildcards):
    return checkpoints.match_vectors.get(corpus=target_corpus(wildcards)).output.digest


def vectors_of(corpus):
    def folder(wildcards):
        return checkpoints.match_vectors.get(corpus=corpus(wildcards)).output.vectors

    return folder


def titles_of_all(wildcards):
    return [checkpoints.match_titles.get(corpus=corpus).output.titles for corpus in MATCHED]


def texts_of_all(wildcards):
    return [checkpoints.match_texts.get(corpus=corpus).output.texts for corpus in MATCHED]


def parse_clauses(wildcards):
    return checkpoints.parse_clauses.get(corpus=wildcards.corpus).output.digest


def parse_clauses_table(wildcards):
    return checkpoints.parse_clauses.get(corpus=wildcards.corpus).output.clauses


def dependencies(wildcards):
    """The shards of parse_dependencies, where actions are extracted with a parser."""
    if not PARSER_USED:
        return []
    return shards(f"parse/dependencies/{wildcards.corpus}", "parquet", PARSE["dependencies"]["shards"])


def dependencies_model(wildcards):
    """The pipeline that the workflow trains, where it is used."""
    return [f"{RESULTS}/parse/parser/model"] if PARSE["dependencies"]["backend"] == "spacy" else []


def dependencies_key(wildcards):
    """The key of parse_dependencies: of a model in a local folder also its content."""
    backend, model = PARSE["dependencies"]["backend"], PARSE["dependencies"]["model"]
    unread = ("model", "device") if backend == "spacy" else ()
    reads = [GLOSSARY] + ([model] if backend != "spacy" and Path(model).exists() else [])
    return key("parse.dependencies", parse_clauses, without=("shards", *unread), reads=reads)(wildcards)


def counterfactual_key(wildcards):
    """The key of evaluate_counterfactual: texts are read as parse_actions reads recipes."""
    names = ["backend", "batch"] + ["model", "device"] * (PARSE["dependencies"]["backend"] != "spacy")
    read_with = ["parse.actions.method", "parse.actions.style"]
    read_with += [f"parse.dependencies.{name}" for name in names] * PARSER_USED
    of = key(
        "evaluate.counterfactual", settings=read_with, without=("predictions", "vectors"), reads=[GLOSSARY]
    )
    return of(wildcards)
