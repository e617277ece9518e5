"""Compares `mandat.api` with the OpenAPI documents, by a reading of its own."""

import importlib
import inspect
import json
import re
import typing
import unittest
from pathlib import Path

DOCUMENTS = Path(__file__).resolve().parents[3] / "docs/openapi"
SURFACES = {"partenaire": "Partenaire", "plateforme": "Plateforme", "administration": "Administration"}


def documented(name):
    return json.loads((DOCUMENTS / f"{name}.json").read_text(encoding="utf-8"))


class Generated(unittest.TestCase):
    def each(self):
        for name, surface in SURFACES.items():
            with self.subTest(name):
                yield documented(name), importlib.import_module(f"mandat.api.{name}"), surface

    def test_every_record_has_its_properties_and_says_which_may_be_absent(self):
        for document, module, _ in self.each():
            for name, schema in document["components"]["schemas"].items():
                if schema.get("type") != "object":
                    continue
                record = getattr(module, name)
                required = set(schema.get("required", []))
                self.assertEqual(record.__required_keys__, required, name)
                self.assertEqual(record.__optional_keys__, set(schema.get("properties", {})) - required, name)
                hints = typing.get_type_hints(record)
                for key, value in schema.get("properties", {}).items():
                    with self.subTest(f"{name}.{key}"):
                        self.check(hints[key], value)

    def check(self, hint, schema):
        members = typing.get_args(hint) if typing.get_origin(hint) is typing.Union else (hint,)
        variants = schema.get("oneOf") or schema.get("anyOf") or [schema]
        may_be_null = any(one.get("nullable") for one in [schema, *variants])
        self.assertEqual(type(None) in members, bool(may_be_null))
        members = [one for one in members if one is not type(None)]
        self.assertEqual(len(members), len(variants))
        for member, variant in zip(members, variants):
            if "enum" in variant:
                values = {value for value in variant["enum"] if value is not None}
                self.assertEqual(set(typing.get_args(member)), values)
            elif variant.get("type") == "array":
                self.assertIs(typing.get_origin(member), list)
                self.check(typing.get_args(member)[0], variant["items"])
            elif "$ref" in variant or "allOf" in variant:
                reference = variant.get("$ref") or variant["allOf"][0]["$ref"]
                self.assertEqual(member.__name__, reference.split("/")[-1])
            elif variant["type"] == "object":
                self.assertIs(typing.get_origin(member), dict)
            else:
                kinds = {"string": str, "integer": int, "number": float, "boolean": bool}
                self.assertIs(member, kinds[variant["type"]])

    def test_every_operation_sends_what_the_document_names(self):
        for document, module, surface in self.each():
            calls = []
            instance = getattr(module, surface)("http://localhost", "key")
            instance._call = lambda *sent, **named: calls.append((sent, named))
            parameters = document["components"].get("parameters", {})
            for path, item in document["paths"].items():
                for method, operation in item.items():
                    group, name = (
                        re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", one).lower()
                        for one in operation["operationId"].split("_")
                    )
                    call = getattr(getattr(instance, group), name)
                    named = [
                        parameters[one["$ref"].split("/")[-1]] if "$ref" in one else one
                        for one in operation.get("parameters", [])
                    ]
                    named = [one for one in named if one["name"] not in ("separateur", "Accept-Language")]
                    expected = {
                        place: {one["name"]: f"<{one['name']}/>" for one in named if one["in"] == place}
                        for place in ("path", "query", "header")
                    }
                    arguments = {
                        name.lower().replace("-", "_") if place == "header" else name: value
                        for place, values in expected.items()
                        for name, value in values.items()
                    }
                    if "requestBody" in operation:
                        arguments["body"] = {"a": 1}
                    with self.subTest(operation["operationId"]):
                        self.assertEqual(set(inspect.signature(call).parameters), set(arguments))
                        call(**arguments)
                        (sent_method, sent_path), sent = calls.pop()
                        filled = re.sub(r"\{(\w+)\}", r"%3C\1%2F%3E", path)
                        self.assertEqual((sent_method, sent_path), (method.upper(), filled))
                        self.assertEqual(sent.get("query", {}), expected["query"])
                        self.assertEqual(sent.get("header", {}), expected["header"])
                        self.assertEqual(sent.get("body"), arguments.get("body"))
                        # A missing argument that the document requires is an error before anything is sent.
                        for parameter in inspect.signature(call).parameters.values():
                            one = next((one for one in named if one["name"] == parameter.name), None)
                            required = one.get("required") if one else False
                            if parameter.name == "body":
                                required = operation["requestBody"].get("required", False)
                            self.assertEqual(parameter.default is inspect.Parameter.empty, bool(required))


if __name__ == "__main__":
    unittest.main()
