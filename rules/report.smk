from wokflow.enrich.stage import link_quality
from wokflow.report.arguments import page_given


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
            for table in PTA_TABLES
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
        evaluate_people_means=[
            f"{RESULTS}/evaluate/people/means/{study}/part-00000.parquet"
            for study in SCOPE.answered("rating")
            if study not in SCOPE.choosing
        ],
        evaluate_best_worst=[
            f"{RESULTS}/evaluate/best_worst/{study}/part-00000.parquet"
            for study in SCOPE.answered("best_worst")
        ],
        evaluate_marks=[
            f"{RESULTS}/evaluate/marks/{study}/part-00000.parquet" for study in SCOPE.answered("marking")
        ],
        generate_adaptations=ADAPTATIONS,
        lexicon_aligned=[f"{RESULTS}/lexicon/aligned"] if config["lexicon"]["included"] else [],
        enrich_link_quality=link_quality(SCOPE),
        enrich_sentences=[f"{RESULTS}/enrich/sentences/{corpus}/part-00000.parquet" for corpus in LINKED],
        evaluate_csi_match=[f"{RESULTS}/evaluate/csi_match/{corpus}/part-00000.parquet" for corpus in LINKED],
        rejects=stages.rejects(SCOPE),
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
        judge_answers=[f"{RESULTS}/judge/answers/{name}/part-00000.parquet" for name in ASKED],
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
            given=lambda wildcards: page_given(config, LINKED, NAMED),
        ),
    script:
        "../scripts/step.py"
