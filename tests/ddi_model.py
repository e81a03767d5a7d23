"""The part of the schema of DDI Codebook that the metadata of a release use, and what does not follow it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

if TYPE_CHECKING:
    from pathlib import Path

NAMESPACE = "{ddi:codebook:2_5}"
# The content models of codebook.xsd, DDI Codebook 2.5 (DDI Alliance, 2012-01-17, LGPL): all are sequences. ? at most
# once, * any number, + at least once. A citation may end in Dublin Core, which is not written. Each line, the types of
# the texts (mixed, of simpleTextType, conceptualTextType or tableAndTextType: a text alone is one) and the attributes
# below were compared with the text of that file, declaration by declaration.
MODEL = """
codeBook: docDscr* stdyDscr+ fileDscr* dataDscr* otherMat*
docDscr: citation? guide? docStatus? docSrc* controlledVocabUsed* notes*
citation: titlStmt rspStmt? prodStmt? distStmt? serStmt* verStmt* biblCit? holdings* notes*
titlStmt: titl subTitl* altTitl* parTitl* IDNo*
prodStmt: producer* copyright? prodDate* prodPlac* software* fundAg* grantNo*
verStmt: version? verResp? notes*
stdyDscr: citation+ studyAuthorization* stdyInfo* studyDevelopment* method* dataAccs* othrStdyMat* notes*
stdyInfo: studyBudget* subject* abstract* sumDscr* qualityStatement? notes* exPostEvaluation*
sumDscr: timePrd* collDate* nation* geogCover* geogUnit* geoBndBox? boundPoly? anlyUnit* universe* dataKind*
method: dataColl* notes* anlyInfo? stdyClas? dataProcessing* codingInstructions*
dataColl: timeMeth* dataCollector* collectorTraining* frequenc* sampProc* sampleFrame* targetSampleSize* deviat* \
collMode* resInstru* instrumentDevelopment* sources? collSitu* actMin* ConOps* weight* cleanOps*
anlyInfo: respRate* EstSmpErr* dataAppr*
dataAccs: setAvail* useStmt* notes*
setAvail: accsPlac* origArch? avlStatus* collSize? complete? fileQnty? notes*
useStmt: confDec? specPerm? restrctn? contact* citReq? deposReq? conditions? disclaimer?
fileDscr: fileTxt* locMap? notes*
fileTxt: fileName? fileCitation? dataFingerprint* fileCont? fileStrc? \
dimensns? fileType? format? filePlac? dataChck* ProcStat? dataMsng? software* verStmt?
dataFingerprint: digitalFingerprintValue algorithmSpecification? algorithmVersion?
dimensns: caseQnty* varQnty* logRecL* recPrCas* recNumTot*
dataDscr: varGrp* nCubeGrp* var* nCube* notes*
var: location* labl* imputation? security? embargo? respUnit? anlysUnit? qstn* valrng* invalrng* undocCod* universe* \
TotlResp? sumStat* txt* stdCatgry* catgryGrp* catgry* codInstr* verStmt* concept* derivation? varFormat? geoMap* \
catLevel* notes*
catgry: catValu? labl* txt* catStat* mrow?
otherMat: labl* txt? notes* table* citation? otherMat*
"""
MODELS = dict(line.split(": ") for line in MODEL.strip().splitlines())
TEXTS = set(
    re.findall(
        r"\w+",
        "titl producer prodDate software version abstract universe sampProc weight notes dataAppr dataProcessing "
        "complete restrctn conditions fileName caseQnty varQnty fileType dataMsng labl security catValu varFormat "
        "digitalFingerprintValue algorithmSpecification algorithmVersion",
    )
)
NAME, ANY = r"[A-Za-z_][\w.-]*", r"(?s).*"  # of an xs:ID without a colon; of an xs:string
NAMES = rf"{NAME}( {NAME})*"
# Those attributes of the schema that are written, with what they can be.
ATTRIBUTES = {
    "codeBook": {"version": r"2\.5"},
    "software": {"version": ANY},
    "prodDate": {"date": ANY},
    "dataFingerprint": {"type": "data|dataFile"},
    "notes": {"subject": ANY},
    "dataAppr": {"type": ANY},
    "dataProcessing": {"ID": NAME, "type": ANY},
    "fileDscr": {"ID": NAME, "URI": ANY},
    "otherMat": {"type": ANY, "level": r"[\w.:-]+", "URI": ANY},
    "labl": {"level": ANY},
    "var": {
        "ID": NAME, "name": ANY, "files": NAMES, "wgt": "wgt|not-wgt", "wgt-var": NAMES, "intrvl": "contin|discrete",
        "methrefs": NAMES, "representationType": "text|numeric|code|datetime|other",
    },
    "varFormat": {"type": "numeric|character", "category": "date|time|currency|other"},
}  # fmt: skip
REQUIRED = {"dataFingerprint": {"type"}, "var": {"name"}, "otherMat": {"level"}}


def root_of(path: Path) -> ET.Element:
    return ET.fromstring(path.read_bytes())  # noqa: S314 - of our own


def variables(root: ET.Element) -> dict[str, ET.Element]:
    return {var.get("name"): var for var in root.iter(f"{NAMESPACE}var")}


def said(root: ET.Element, tag: str) -> list[str]:
    return [element.text for element in root.iter(NAMESPACE + tag)]


def faults(root: ET.Element) -> list[str]:
    """Return where a document is not as the schema has it."""
    found, ids, references = [], [], []
    for element in root.iter():
        name = element.tag.removeprefix(NAMESPACE)
        if not element.tag.startswith(NAMESPACE) or (name not in MODELS and name not in TEXTS):
            found.append(f"unknown {element.tag}")
            continue
        children = "".join(f"{child.tag.removeprefix(NAMESPACE)} " for child in element)
        model = re.sub(r"(\w+)([?*+]?) ?", r"(?:\1 )\2", MODELS.get(name, ""))
        if not re.fullmatch(model, children):
            found.append(f"{name} has {children}")
        if name in MODELS and "".join([element.text or "", *(child.tail or "" for child in element)]).strip():
            found.append(f"{name} has text")
        allowed = ATTRIBUTES.get(name, {})
        for attribute, value in element.attrib.items():
            if attribute.startswith("{http://www.w3.org/2001/XMLSchema-instance}"):
                continue
            if not re.fullmatch(allowed.get(attribute, r"(?!)"), value):
                found.append(f"{name} has {attribute} = {value}")
        found += [f"{name} has no {attribute}" for attribute in REQUIRED.get(name, set()) - {*element.attrib}]
        ids += [element.get("ID")] if element.get("ID") else []
        references += [r for a in ("files", "wgt-var", "methrefs") for r in element.get(a, "").split()]
    found += [f"ID {i} twice" for i in {*ids} if ids.count(i) > 1]
    return found + [f"no ID {r}" for r in references if r not in ids]
