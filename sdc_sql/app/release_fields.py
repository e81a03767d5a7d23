"""The fields of the step Release, by those of the release file, and what they are called in the page."""

from __future__ import annotations

TEXTS = {
    "title": "Title of the file",
    "producer": "Who makes it",
    "version": "Version",
    "population": "Population",
    "description": "Description",
    "release": "Name of the release, in the draws of its steps",
}
SIGNED = {
    "legal_basis": "Legal basis",
    "access": "Access",
    "officer": "Responsible officer",
    "key_retention": "How long the secret key is kept, and where",
    "safe_projects": "Safe projects: what it may be used for",
    "safe_people": "Safe people: who may use it",
    "safe_settings": "Safe settings: where",
    "safe_data": "Safe data: what shows that the file is safe enough",
    "safe_outputs": "Safe outputs: what may be published from it",
}
# each document: what it is called, and the end of its name after that of the released file
NAMES = {
    "report": ("internal report", "-internal.html"),
    "public_report": ("report for users", "-for-users.html"),
    "certificate": ("certificate for the house", "-certificate.json"),
    "public_certificate": ("certificate for users", "-public-certificate.json"),
    "ddi": ("metadata (DDI)", ".xml"),
    "annex": ("annex: the combinations most at risk", "-annex.html"),
}
DOCUMENT_NAMES = {name: words for name, (words, _) in NAMES.items()}
