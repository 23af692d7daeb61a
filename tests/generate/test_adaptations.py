"""Dialogues are asked for, answered, and held against their utterances; released answers replay."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from wokflow.frame import tables
from wokflow.frame.job import Job, UserError, job
from wokflow.generate.adaptations import generate_adaptations
from wokflow.generate.dialogues import generate_dialogues
from wokflow.generate.schemas import CALLS
from wokflow.generate.settings import AdaptationsSettings, DialoguesSettings
from wokflow.ingest.schemas import UTTERANCES

from tests.conftest import ROOT
from tests.generate.asking import TABLES, asks
from tests.generate.servers import Endpoint, endpoint, of_text, well

pytestmark = pytest.mark.usefixtures("keyed")
SAID = {
    "pie": [("Ann", "Who ate\n the pie?"), ("Bo", "Thanksgiving is over, so I did.")],
    "bye": [("Ann", "Let us go to the rodeo."), ("Cy", "Go to hell.")],
    "one": [("Dee", "Cheesecake!")],
}
HINDI = "Ann: चलो मेले में चलते हैं।\nCy: चले जाओ यहाँ से।"
SPANISH = (
    "Ann: ¿Quién se comió el pastel que estaba en la cocina ayer por la noche?\n"
    "Bo: Ya pasó el Día de Acción de Gracias, así que me lo comí yo con mucho gusto."
)


class Adapting:
    """The steps from utterances to adaptations in a folder, run as jobs do."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        rows = [
            {"dialogue_id": name, "position": place, "speaker": speaker, "text": text, "source_row": 0}
            for name, said in SAID.items()
            for place, (speaker, text) in enumerate(said)
        ]
        schema = tables.columns(UTTERANCES)
        tables.write(folder / "utterances.parquet", UTTERANCES, pl.DataFrame(rows, schema), {})

    def instances(self, **own: Any) -> pl.DataFrame:
        given = {"exemplars": str(ROOT / "resources" / "dialogues" / "exemplars.txt")}
        generate_dialogues(
            utterances=str(self.folder / "utterances.parquet"),
            data=str(self.folder / "instances.parquet"),
            digest=str(self.folder / "instances.sha256"),
            settings=DialoguesSettings(**given | own),
            job=Job({"key": "k"}),
        )
        return tables.read(self.folder / "instances.parquet")

    def ask(self, server: Endpoint | None, **own: Any) -> list[bytes]:
        """The bytes of the tables that come out."""
        small = {"timeout_s": 5, "tries": 2, "endpoint": server and server.url, "run": "gpt"}
        small |= {"prompt": str(ROOT / "resources" / "prompts" / "dialogue.txt")}
        asks(self.folder, small | own)
        return [(self.folder / f"{name}.parquet").read_bytes() for name in TABLES.values()]

    def adapt(self) -> tuple[pl.DataFrame, dict[str, tuple[str, str | None]], str]:
        """Adaptations, the reason and detail of each reject, and the log."""
        paths = {name: str(self.folder / f"{name}.parquet") for name in ("adaptations", "adaptation_rejects")}
        with job(str(self.folder / "log.txt")) as progress:
            generate_adaptations(
                utterances=str(self.folder / "utterances.parquet"),
                predictions=str(self.folder / "out.parquet"),
                calls=str(self.folder / "calls.parquet"),
                adaptations=paths["adaptations"],
                rejects=paths["adaptation_rejects"],
                run="gpt",
                settings=AdaptationsSettings(),
                job=Job({"key": "k"}, progress),
            )
        rejects = tables.read(paths["adaptation_rejects"]).select("dialogue_id", "reason", "detail").rows()
        log = (self.folder / "log.txt").read_text(encoding="utf-8")
        return tables.read(paths["adaptations"]), {name: rest for name, *rest in rejects}, log


def test_dialogues_are_shown_after_the_papers_exemplars_and_adapted_by_utterances(tmp_path: Path) -> None:
    adapting = Adapting(tmp_path)
    assert adapting.instances().filter(instance_id="pie")["source"].item() == (
        "Ann: Who ate the pie?\nBo: Thanksgiving is over, so I did."
    )

    def adapted(text: str) -> str:
        source = text.partition("following dialogue : ")[2].replace("Thanksgiving", "Diwali")
        return f"Here you are:\n\n{source}" if "pie" in source else source.replace("Cy", "Ann")

    with endpoint(of_text(adapted)) as server:
        adapting.ask(server)
    said = server.asked[0].text
    assert said.startswith("You have to adapt the given dialogue to align with Indian culture and audience")
    assert "Angela: Bring me gelato." in said and "Emily: Great Mark!" in said and "{" not in said
    rows, rejects, log = adapting.adapt()
    assert rows.select("dialogue_id", "position", "adapted", "repairs").rows() == [
        ("one", 0, "Cheesecake!", []),
        ("pie", 0, "Who ate the pie?", ["words_around"]),
        ("pie", 1, "Diwali is over, so I did.", ["words_around"]),
    ]
    assert rejects == {"bye": ["other_speakers", "Ann for Cy"]}
    for line in ("2 of 3 dialogues are adapted", "other_speakers: 1", "set right, words_around: 1"):
        assert line in log


def test_other_languages_refusals_and_answers_that_were_cut_are_rejects(tmp_path: Path) -> None:
    adapting = Adapting(tmp_path)
    adapting.instances()
    answers = {"rodeo": HINDI, "Who ate": SPANISH}

    def answer(handler: Any, asked: Any) -> None:
        own = asked.text.partition("following dialogue : ")[2]
        text = next((text for part, text in answers.items() if part in own), "")
        well(text=text or "I cannot", reason="stop" if text else "length")(handler, asked)

    with endpoint(answer) as server:
        adapting.ask(server)
    rows, rejects, _ = adapting.adapt()
    assert rows.height == 0
    assert rejects == {
        "bye": ["wrong_language", "another script"],
        "one": ["no_utterances", "I cannot, cut at the limit of tokens"],
        "pie": ["wrong_language", "es"],
    }


def test_another_culture_has_its_own_words_and_exemplars(tmp_path: Path) -> None:
    (tmp_path / "shown.txt").write_text("Ann: Tea?\nAnn: Mate?\n", encoding="utf-8")
    adapting = Adapting(tmp_path)
    adapting.instances()
    before = (tmp_path / "instances.sha256").read_text()
    rows = adapting.instances(culture="Argentina", people="Argentine", exemplars=str(tmp_path / "shown.txt"))
    assert set(rows["exemplars"]) == {"Ann: Tea?\nAnn: Mate?"} and set(rows["people"]) == {"Argentine"}
    assert (tmp_path / "instances.sha256").read_text() != before


def test_released_answers_replay_without_an_endpoint_and_fit_word_for_word(tmp_path: Path) -> None:
    adapting = Adapting(tmp_path)
    adapting.instances()
    with endpoint(of_text(lambda text: text.rpartition(" : ")[2])) as server:
        asked = adapting.ask(server, price_in=10, price_out=20)
    released = tmp_path / "released.parquet"
    calls = tables.read(tmp_path / "calls.parquet")
    tables.write(released, CALLS, pl.concat([calls, calls.with_columns(run=pl.lit("other"))]), {})
    assert adapting.ask(None, released=str(released)) == asked
    with pytest.raises(UserError, match="no answer for bye of run third"):
        adapting.ask(None, released=str(released), run="third")
    with pytest.raises(UserError, match="has answers of m for gpt, whose model is n"):
        adapting.ask(None, released=str(released), model="n")
    (tmp_path / "prompt.txt").write_text("Adapt: {source}", encoding="utf-8")
    with pytest.raises(UserError, match="an answer to another text for bye of run gpt"):
        adapting.ask(None, released=str(released), prompt=str(tmp_path / "prompt.txt"))
    tables.write(released, CALLS, pl.concat([calls, calls]), {})
    with pytest.raises(UserError, match="answers bye twice for run gpt"):
        adapting.ask(None, released=str(released))
    with pytest.raises(UserError, match="is not in the form of generate/calls"):
        adapting.ask(None, released=str(tmp_path / "utterances.parquet"))
