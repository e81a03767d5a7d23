"""splink: m and u by EM on all pairs of its DuckDB, levels exact or not."""

from columns import LINKED
from splink import DuckDBAPI, Linker, SettingsCreator
from splink import comparison_library as levels
from theirs import read_both

PACKAGE = "splink"


def read(path):
    return [frame.head(1000).rename(columns={"person": "unique_id"}) for frame in read_both(path)]


def work(frames):
    settings = SettingsCreator(
        link_type="link_only", comparisons=[levels.ExactMatch(column) for column in LINKED],
        em_convergence=1e-12, max_iterations=10_000, probability_two_random_records_match=0.001,
    )  # fmt: skip
    api = DuckDBAPI()
    linker = Linker([api.register(frame) for frame in frames], settings)
    linker.training.estimate_parameters_using_expectation_maximisation(
        "1 = 1", fix_u_probabilities=False, fix_probability_two_random_records_match=False
    )
    return linker


def answer(_, done):
    found = {}
    for one in done.misc.save_model_to_json()["comparisons"]:
        (level,) = (
            part for part in one["comparison_levels"] if part.get("m_probability") and "=" in part["sql_condition"]
        )
        name = one["output_column_name"]
        found |= {f"m_{name}": level["m_probability"], f"u_{name}": level["u_probability"]}
    return found
