"""What the header of each mask says of what it does to a file; one that does not say is the safe case."""

from __future__ import annotations

import pytest

from sdc_sql.db.catalogue.effects import MUST
from sdc_sql.db.catalogue.macros import find_effect, read_catalogue
from sdc_sql.db.masking.steps import MaskingStep
from sdc_sql.release.reporting import public_steps

MASKS = {d.name.removeprefix("sdc_"): d for d in read_catalogue() if d.is_step}


def step_of(method: str, parameters: dict[str, object]) -> MaskingStep:
    return MaskingStep("t", method, ("income",), parameters, 8, 8)


def test_each_of_ours_says_what_others_ask():
    silent = {name: [*missing] for name, d in MASKS.items() if (missing := {*MUST} - d.effect.says)}
    assert silent == {}


def test_each_of_ours_says_which_estimates_hold():
    """Suppression is told by what is missing; what draws groups anew, or no value, has nothing that holds."""
    silent = {name for name, d in MASKS.items() if not d.effect.users and d.effect.suppresses.kind != "values"}
    assert silent <= {"distort_sensitive", "drop_identifiers", "renumber"}, silent
    for name, mask in MASKS.items():
        assert mask.effect.users == "" or mask.effect.users.endswith("."), name
        choices = {c for p in mask.parameters for c in (p.choices if p.name == "method" else ())}
        chosen = {part.split(": ")[0] for part in mask.effect.users.split("; ") if ": " in part}
        assert chosen in (set(), choices), name
    said = {how: public_steps.describe_use(step_of("noise", {"method": how})) for how in ("linear", "outliers")}
    assert said["linear"].startswith("Means and covariances")
    assert said["outliers"] == "Means hold nearly. What hangs on outliers does not."
    assert ";" not in public_steps.describe_use(step_of("noise_absolute", {"standard_deviation": 1.0}))


def test_what_is_withheld_says_why():
    for name, mask in MASKS.items():
        for word in (mask.effect.loss, mask.effect.matrix):
            assert word.reason or {word.kind, word.otherwise} & {"withheld", "unknown"} == set(), name


def test_a_mask_without_all_records_says_so():
    """What is not put into the table by sdc__released gives records of its own: fewer, or in another order."""
    of_records = {name for name, d in MASKS.items() if not d.masks and d.gives.startswith("every column")}
    assert {name for name, d in MASKS.items() if d.effect.records.kind != "stay"} == of_records


def test_of_a_mask_from_elsewhere_nothing_is_told():
    step = step_of("scramble", {"factor": 1.1, "method": "plain", "alpha": 0.1})
    assert public_steps.is_withheld(step)
    assert public_steps.list_told_parameters(step) == {}
    assert public_steps.describe_step(step) == ("scramble", "")
    assert public_steps.show_public_matrix(step, None, str, str) == []
    assert public_steps.advice(step, matrix=False, part=False) == []
    effect = find_effect("scramble")
    assert (effect.values.kind, effect.bits.kind) == ("codes", "last digits")


@pytest.mark.parametrize(
    ("method", "parameters", "withheld", "told"),
    [
        ("noise", {"method": "linear", "alpha": 0.1}, True, {"method"}),
        ("noise", {"method": "correlated", "alpha": 0.1}, False, {"method", "alpha"}),
        ("noise", {"method": "outliers", "alpha": 0.1}, False, {"method"}),
        ("multiplicative_noise", {"method": "plain", "size": 0.1}, False, {"method", "size"}),
        ("multiplicative_noise", {"method": "hoehne", "size": 0.1}, True, {"method"}),
        ("top_bottom_code", {"unit": "value", "top": 9, "replacement": "mean"}, False, {"top", "replacement"}),
        ("top_bottom_code", {"unit": "count", "top": 9, "replacement": "mean"}, False, {"replacement"}),
        ("record_swap", {"rate": 0.1}, True, set()),
        ("pram_guaranteed", {"xi": 0.5}, False, set()),
    ],
)
def test_what_undoes_a_step_is_not_told(method, parameters, withheld, told):
    """The scale of Kim's noise, Höhne's factors, thresholds that are records, and rates of swapping stay inside."""
    step = step_of(method, parameters)
    assert (public_steps.is_withheld(step), {*public_steps.list_told_parameters(step)}) == (withheld, told)
