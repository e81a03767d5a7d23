"""What a parameter is where nobody says: the values promised, listed apart from the macros that declare them."""

from __future__ import annotations

from collections import defaultdict

from sdc_sql.compiler.definitions import load_definitions

DEFAULTS = {
    "confidence": {0.95, 0.99},  # intervals have two sides, bounds one
    "k": {1, 3, 5},
    "n": {2},
    "share": {0.85},
    "p": {0.1},
    "max_msu": {3},
    "dis_fraction": {0.01},
    "c": {2},
    "tau": {0.5, 1},
    "threshold": {2, 3},
    "dimension": {2},
    "level": {1},
    "suppression": {0},
    "width": {0.01, 0.05, 0.1, 3},
    "near": {0.05},
    "tolerance": {0.05},
    "false_nonmatch": {0.05},
    "significance": {0.05},
    "max_guesses": {2000},
    "records": {1000},
    "isolated": {100},
    "repetitions": {10000},
    "permutations": {20},
    "alpha": {0.5},
    "smoothing": {0.3, "none"},
    "gamma": {0.2},
    "blocks": {1},
    "size": {5, 10},
    "classes": {10, 40},
    "intervals": {20, "sd"},
    "leaf": {20},
    "gain": {6},
    "copy": {1},
    "most": {5},
    "most_substituted": {0.5},
    "spread": {0},
    "enough": {1.96},
    "max_keys": {3},
    "max_term": {1},
    "quantile": {0.5},
    "ratio": {1},
    "least": {0},
    "nulls": {"category", "higher", "wildcard"},
    "small_weights": {"error"},
    "unit": {"record"},
    "shortfall": {"refuse"},
    "release": {""},
    "stream": {"", "data intrusion"},
    "about": {""},
    "others": {"error"},
    "linkage": {"all"},
    "guarantee": {"identical", "strong"},
    "cost": {"equal"},
    "distance": {"equal", "raking"},
    "diversity": {"distinct"},
    "loss": {"generalised_loss"},
    "model": {"tree"},
    "criterion": {"bic"},
    "scoring": {"factorial"},
    "density": {"normal"},
    "scaling": {"standardised", "relative"},
    "centroid": {"mean"},
    "scale": {"ordinal"},
    "ends": {"closed"},
    "replacement": {"threshold"},
    "generator": {"ipso"},
    "methods": {"trees"},
    "prior": {"uniform"},
    "method": {
        "C",
        "additive",
        "dankar",
        "equal_width",
        "mdav",
        "plain",
        "simple",
        "two_stage",
        "uncorrelated",
    },
    "inclusive": {True},
    "pairs": {True},
    "discrete": {False},
    "external": {False},
    "proper": {False},
    "rounded": {False},
}


def test_defaults_are_those_that_are_promised():
    found = defaultdict(set)
    for name, macro in load_definitions().items():
        for parameter, default in macro.defaults.items():
            value = default.to_py()
            if not name.startswith("sdc__") and value is not None:
                found[parameter].add(float(value) if type(value) not in {str, bool} else value)
    assert found == DEFAULTS
