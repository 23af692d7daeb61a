from wokflow.report.arguments import page_given

LEFT_OUT = [  # by any stage, and what that is a share of
    *(
        f"{RESULTS}/ingest/{table}/part-00000.parquet"
        for spoken, kept in (("dialogues", "utterances"), ("annotations", "annotations"))
        if config["ingest"][spoken]["path"]
        for table in (f"rejects/{spoken}", kept)
    ),
    *(path for corpus in CORPORA for path in parts(f"ingest/rejects/{corpus}", INGEST_PARTS)),
    *(
        path
        for corpus in SENTENCES
        for table in ("sentences", "rejects")
        for path in parts(f"ingest/{table}/{corpus}", SENTENCE_PARTS)
    ),
    *(
        f"{RESULTS}/ingest/{table}/part-00000.parquet"
        for lang in DUMPS
        for table in (f"pages/{lang}", f"rejects/pages_{lang}")
    ),
    *(
        f"{RESULTS}/enrich/{table}/part-00000.parquet"
        for table in (
            (ENTITIES, f"rejects/{ENTITIES}", *(f"rejects/{corpus}" for corpus in LINKED)) if LINKED else ()
        )
    ),
    *(
        path
        for corpus in LINKED
        for table in ("mentions", "rejects/mentions")
        for path in parts(f"enrich/{table}/{corpus}", SENTENCE_PARTS)
    ),
    *(
        f"{RESULTS}/generate/{table}/{name}/part-00000.parquet"
        for name, run in RUNS.items()
        if run.family == "prompt"
        for table in ("rejects", "predictions")
    ),
    *(
        f"{RESULTS}/generate/{table}/{name}/part-00000.parquet"
        for name in ADAPTING_RUNS
        for table in ("rejects/adaptations", "adaptations")
    ),
    *(f"{RESULTS}/judge/{table}/part-00000.parquet" for table in ("tasks", "rejects/tasks") if GENERATORS),
    *(f"{RESULTS}/judge/{table}/part-00000.parquet" for table in ("pta/pairs", "rejects/pta") if COMPARERS),
    *(
        f"{RESULTS}/annotate/rejects/{name}/part-00000.parquet"
        for name in SCOPE.answered("rating", "best_worst", "writing")
    ),
    *(
        f"{RESULTS}/annotate/ratings/{name}/part-00000.parquet"
        for name in SCOPE.answered("rating", "best_worst")
    ),
    *(
        f"{RESULTS}/judge/{table}/{name}/part-00000.parquet"
        for name in (*EVALUATORS, *COMPARERS, *DIALOGUE_RATERS, *EDIT_RATERS, *STRATEGISTS)
        for table in ("ratings", "rejects")
    ),
    *(
        f"{RESULTS}/judge/{table}/{name}/part-00000.parquet"
        for name in EDITORS
        for table in ("edits", "rejects")
    ),
    *(
        f"{RESULTS}/pivot/rejects/{block}/part-00000.parquet"
        for block, read in {
            "candidates": not PIVOTS_GIVEN,
            "pivots": PIVOTS_GIVEN,
            "orders": ORDERS_GIVEN,
        }.items()
        if read
    ),
    *SILVER.values(),
    *(
        f"{RESULTS}/match/rejects/{name}/part-00000.parquet"
        for name in (
            *(f"silver-{direction}" for direction in SILVER),
            *(["labels"] if MATCH["rerank"]["by"] == "recipes" else []),
            *(["dish-names"] if MATCH["candidates"]["titles"] else []),
        )
    ),
]


rule report_page:
    input:
        **{f"ingest_recipes_{corpus}": parts(f"ingest/recipes/{corpus}", INGEST_PARTS) for corpus in CORPORA},
        **{f"ingest_rejects_{corpus}": parts(f"ingest/rejects/{corpus}", INGEST_PARTS) for corpus in MATCHED},
        **{
            f"match_{table}_{corpus}": f"{RESULTS}/match/{table}/{corpus}/part-00000.parquet"
            for table in ("eligible", "rejects")
            for corpus in MATCHED
        },
        **{f"match_titles_{corpus}": data(TITLES[corpus]) for corpus in MATCHED},
        **{f"match_texts_{corpus}": data(TEXTS[corpus]) for corpus in MATCHED},
        **{
            f"match_{table}_{direction.replace('-', '_')}": f"{RESULTS}/match/{table}/{direction}/part-00000.parquet"
            for table in ("pairs", "audit")
            for direction in DIRECTIONS
        },
        **{
            f"parse_{table}_{corpus}": parts(f"parse/{table}/{corpus}", INGEST_PARTS)
            for table in ("rejects", "actions", "proto")
            for corpus in PARSED
        },
        **{
            f"pivot_{table}": f"{RESULTS}/pivot/{table}/part-00000.parquet"
            for table in ("candidates", "pivots", "votes", "agreement", "orders", "effects")
        },
        **{
            f"evaluate_{table}": f"{RESULTS}/evaluate/{table}/part-00000.parquet"
            for table in ("summary", "comparisons", "correlations", "literal")
        },
        **(
            {
                f"enrich_{table}": f"{RESULTS}/enrich/{table}/part-00000.parquet"
                for table in ("statistics", "shares", "items")
            }
            if LINKED
            else {}
        ),
        **{
            f"evaluate_{'_'.join(table)}": f"{RESULTS}/evaluate/{Path(*table)}/part-00000.parquet"
            for table in (
                *(
                    ("ratings", name)
                    for name in ("means", "agreement", "differences", "calibration", "biases")
                ),
                ("words",),
            )
            if EVALUATORS
        },
        **{
            f"evaluate_pta_{table}": f"{RESULTS}/evaluate/pta/{table}/part-00000.parquet"
            for table in ("scores", "biases", "agreement")
            if COMPARERS or SCOPE.choosing
        },
        **{f"lexicon_{table}": path for table, path in LEXICON.items() if config["lexicon"]["included"]},
        **{
            f"evaluate_dialogues_{table}": f"{RESULTS}/evaluate/dialogues/{table}/part-00000.parquet"
            for table in (
                *(ADAPTATION_TABLES if ADAPTING_RUNS else ()),
                *(ADAPTATION_FIGURES if DIALOGUE_RATERS + EDIT_RATERS + STRATEGISTS else ()),
            )
        },
        **after(SOURCE, TITLES, TEXTS, VECTORS, CLAUSES, EXAMPLES, INSTANCES, *(LINKING if LINKED else [])),
        generate_adaptations=ADAPTATIONS,
        lexicon_aligned=[f"{RESULTS}/lexicon/aligned"] if config["lexicon"]["included"] else [],
        enrich_sentences=[f"{RESULTS}/enrich/sentences/{corpus}/part-00000.parquet" for corpus in LINKED],
        evaluate_csi_match=[f"{RESULTS}/evaluate/csi_match/{corpus}/part-00000.parquet" for corpus in LINKED],
        rejects=LEFT_OUT,
        release=f"{RESULTS}/export/gates",
        match_statistics=f"{RESULTS}/match/statistics/table1.tsv",
        match_scores=f"{RESULTS}/match/statistics/scores.json",
        match_leaks=f"{RESULTS}/match/split/leaks.json",
        match_rerank=[f"{RESULTS}/match/rerank/model.json"] if MATCH["rerank"]["by"] == "recipes" else [],
        parser=[f"{RESULTS}/parse/parser/scores.json"] if PARSER_TRAINED else [],
        models=[f"{RESULTS}/train/model/{name}" for name, run in RUNS.items() if run.trained],
        pivot_dishes=f"{RESULTS}/pivot/dishes/{DISH_CORPUS}/part-00000.parquet",
        generate_instances_zh_en=[cutoff.data for cutoff in INSTANCES.only("zh-en")],
        generate_instances_en_zh=[cutoff.data for cutoff in INSTANCES.only("en-zh")],
        generate_predictions_zh_en=PREDICTIONS["zh-en"],
        generate_predictions_en_zh=PREDICTIONS["en-zh"],
        generate_instances_counterfactual=[cutoff.data for cutoff in INSTANCES.only("counterfactual")],
        generate_predictions_counterfactual=PREDICTIONS["counterfactual"],
        generate_calls=[
            f"{RESULTS}/generate/calls/{name}/part-00000.parquet"
            for name, run in RUNS.items()
            if run.family == "prompt"
        ],
        evaluate_scores=parts("evaluate/scores", 2),
        evaluate_outputs=[
            f"{RESULTS}/evaluate/outputs/{run}/part-00000.parquet"
            for run in RUNS
            if run not in ADAPTING_RUNS
        ],
    output:
        page=report(
            f"{RESULTS}/report/page/index.html",
            caption="captions/page.rst",
            category="Page",
            labels={"page": "Recipes, pairs, actions, runs and scores"},
        ),
        interactive=f"{RESULTS}/report/page/interactive.html",
    log:
        log_of("report_page"),
    benchmark:
        benchmark_of("report_page")
    conda:
        "../envs/report.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(20),
    params:
        **step(
            "report.page",
            given=lambda wildcards: page_given(config, LINKED, RUNS.values(), ASKED),
        ),
    script:
        "../scripts/step.py"
