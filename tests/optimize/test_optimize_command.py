"""`mysteryshopper optimize FILE`."""

from mysteryshopper.cli.main import run
from mysteryshopper.experiment import Experiment
from mysteryshopper.experiment.init import write_starter


def test_another_protocol_is_refused_in_one_sentence(tmp_path, capsys):
    path = write_starter("conversation", tmp_path / "talk.yaml")
    assert run(["optimize", str(path)]) == 1
    said = capsys.readouterr().err
    assert "is for 'conversation'" in said
    assert "mysteryshopper run" in said
    assert len(said.strip().splitlines()) == 1
    assert not (tmp_path / "runs").exists()


def test_the_file_to_start_from_is_an_optimisation(tmp_path):
    experiment = Experiment.load(write_starter("prompt-optimisation", tmp_path / "prompt.yaml"))
    assert experiment.protocol == "prompt-optimisation"
    assert experiment.users[0].kind == "adaptsim"
