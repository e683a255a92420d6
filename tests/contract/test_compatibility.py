"""The comparison of documents finds what breaks clients, and lets pass what does not."""

import copy
import json
import unittest

import compatibility
from breaking import breaks

DOCUMENT = {
    "paths": {
        "/shops/{shop}": {
            "get": {
                "operationId": "getShop",
                "security": [{"key": []}, {"cookie": []}],
                "parameters": [
                    {"in": "path", "name": "shop", "required": True, "schema": {"type": "string", "maxLength": 100}},
                    {"in": "query", "name": "limit", "schema": {"type": "integer", "minimum": 1, "maximum": 50}},
                ],
                "responses": {
                    "200": {
                        "headers": {"ETag": {}},
                        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Shop"}}},
                    },
                    "404": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}},
                },
            },
            "put": {
                "operationId": "putShop",
                "security": [{"key": []}],
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/NewShop"}}},
                },
                "responses": {"204": {}},
            },
        }
    },
    "components": {
        "schemas": {
            "Shop": {
                "type": "object",
                "required": ["name", "owner"],
                "properties": {
                    "name": {"type": "string"},
                    "state": {"type": "string", "enum": ["open", "closed"]},
                    "owner": {"nullable": True, "allOf": [{"$ref": "#/components/schemas/Person"}]},
                    "size": {"type": "number"},
                    "branches": {"type": "array", "items": {"$ref": "#/components/schemas/Shop"}},
                    "till": {"oneOf": [{"type": "boolean"}, {"type": "string", "enum": ["unknown"]}]},
                },
            },
            "NewShop": {
                "type": "object",
                "required": ["name"],
                "properties": {
                    "name": {"type": "string", "minLength": 1, "maxLength": 100},
                    "state": {"type": "string", "enum": ["open", "closed"]},
                    "floor": {"type": "integer", "nullable": True},
                    "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 10},
                    "note": {"type": "string"},
                },
            },
            "Person": {"type": "object", "properties": {"id": {"type": "integer"}}},
            "Error": {"type": "object", "properties": {"message": {"type": "string"}}},
        }
    },
}


def changed(change) -> list[str]:
    new = copy.deepcopy(DOCUMENT)
    change(new)
    return [str(found) for found in breaks(DOCUMENT, new)]


def schema(document: dict, name: str) -> dict:
    return document["components"]["schemas"][name]


def operation(document: dict, method: str) -> dict:
    return document["paths"]["/shops/{shop}"][method]


class Breaking(unittest.TestCase):
    """Each change is made to the document alone, and nothing else than it is found."""

    def found(self, expected: str, change) -> None:
        self.assertEqual(changed(change), [expected])

    def test_operations(self):
        self.found("putShop: PUT /shops/{shop} is gone", lambda new: new["paths"]["/shops/{shop}"].pop("put"))
        self.found(
            "getShop: GET /shops/{shop} has the operation id readShop",
            lambda new: operation(new, "get").update(operationId="readShop"),
        )
        gone = changed(lambda new: new["paths"].clear())
        self.assertEqual(gone, ["getShop: GET /shops/{shop} is gone", "putShop: PUT /shops/{shop} is gone"])

    def test_credentials(self):
        self.found(
            "getShop: credentials of the scheme cookie no longer do",
            lambda new: operation(new, "get")["security"].pop(),
        )
        opened = copy.deepcopy(DOCUMENT)
        operation(opened, "get")["security"] = []
        self.assertEqual([str(found) for found in breaks(opened, DOCUMENT)], ["getShop: credentials are needed"])
        self.assertEqual(breaks(DOCUMENT, opened), [])

    def test_parameters(self):
        parameters = lambda new: operation(new, "get")["parameters"]
        self.found("getShop: the query parameter limit is gone", lambda new: parameters(new).pop())
        self.found(
            "getShop: the query parameter limit is required", lambda new: parameters(new)[1].update(required=True)
        )
        self.found(
            "getShop: the query parameter day is new and required",
            lambda new: parameters(new).append(
                {"in": "query", "name": "day", "required": True, "schema": {"type": "string"}}
            ),
        )
        self.found(
            "getShop: the query parameter limit has maximum 20 instead of 50",
            lambda new: parameters(new)[1]["schema"].update(maximum=20),
        )
        self.found(
            "getShop: the query parameter limit has minimum 2 instead of 1",
            lambda new: parameters(new)[1]["schema"].update(minimum=2),
        )
        self.found(
            "getShop: the path parameter shop has the pattern ^[a-z]+$ instead of none",
            lambda new: parameters(new)[0]["schema"].update(pattern="^[a-z]+$"),
        )
        self.found(
            "getShop: the query parameter limit is written in another way (explode)",
            lambda new: parameters(new)[1].update(explode=False),
        )

    def test_bodies(self):
        body = lambda new: schema(new, "NewShop")["properties"]
        self.found(
            "NewShop: the property note of the body is required",
            lambda new: schema(new, "NewShop")["required"].append("note"),
        )
        self.found("NewShop: the property note of the body is gone", lambda new: body(new).pop("note"))
        self.found(
            "NewShop: the property state of the body no longer takes 'closed'",
            lambda new: body(new)["state"]["enum"].remove("closed"),
        )
        self.found(
            "NewShop: the property note of the body is one of a list", lambda new: body(new)["note"].update(enum=["a"])
        )
        self.found(
            "NewShop: the property note of the body is integer instead of string",
            lambda new: body(new)["note"].update(type="integer"),
        )
        self.found(
            "NewShop: the property floor of the body must not be null", lambda new: body(new)["floor"].pop("nullable")
        )
        self.found(
            "NewShop: the property tags of the body has maxItems 9 instead of 10",
            lambda new: body(new)["tags"].update(maxItems=9),
        )
        self.found(
            "NewShop: an item of the property tags of the body has maxLength 5 instead of none",
            lambda new: body(new)["tags"]["items"].update(maxLength=5),
        )
        self.found(
            "NewShop: the property note of the body has minLength 1 instead of 0",
            lambda new: body(new)["note"].update(minLength=1),
        )
        self.found(
            "NewShop: the property note of the body has the format uuid instead of None",
            lambda new: body(new)["note"].update(format="uuid"),
        )
        self.found(
            "NewShop: the body takes no further properties",
            lambda new: schema(new, "NewShop").update(additionalProperties=False),
        )
        self.found("putShop: the body is no longer read", lambda new: operation(new, "put").pop("requestBody"))
        optional = copy.deepcopy(DOCUMENT)
        operation(optional, "put")["requestBody"]["required"] = False
        self.assertEqual([str(found) for found in breaks(optional, DOCUMENT)], ["putShop: a body is required"])

    def test_statuses_and_forms_of_answers(self):
        answers = lambda new: operation(new, "get")["responses"]
        self.found("getShop: the answer 404 is gone", lambda new: answers(new).pop("404"))
        self.found(
            "getShop: the answer 202 is a new way to succeed", lambda new: answers(new).update({"202": {}})
        )
        self.found("getShop: the answer 200 lacks the header ETag", lambda new: answers(new)["200"]["headers"].clear())
        self.found(
            "getShop: the answer 404 is no longer application/json",
            lambda new: answers(new)["404"].update(content={"text/plain": {}}),
        )

    def test_contents_of_answers(self):
        answer = lambda new: schema(new, "Shop")["properties"]
        self.found("Shop: the property size of the answer is gone", lambda new: answer(new).pop("size"))
        self.found(
            "Shop: the property name of the answer can be absent", lambda new: schema(new, "Shop")["required"].pop(0)
        )
        self.found(
            "Shop: the property state of the answer can be 'moved'",
            lambda new: answer(new)["state"]["enum"].append("moved"),
        )
        self.found(
            "Shop: the property state of the answer is no longer one of a list",
            lambda new: answer(new)["state"].pop("enum"),
        )
        self.found(
            "Shop: the property name of the answer is number instead of string",
            lambda new: answer(new)["name"].update(type="number"),
        )
        self.found(
            "Shop: the property name of the answer can be null", lambda new: answer(new)["name"].update(nullable=True)
        )
        self.found(
            "Person: the property id of the answer is gone", lambda new: schema(new, "Person")["properties"].clear()
        )
        self.found(
            "Shop: the property till of the answer can be number",
            lambda new: answer(new)["till"]["oneOf"].append({"type": "number"}),
        )
        self.found(
            "Shop: the property size of the answer is any instead of number", lambda new: answer(new)["size"].clear()
        )


class Harmless(unittest.TestCase):
    def passes(self, change) -> None:
        self.assertEqual(changed(change), [])

    def test_nothing_has_changed(self):
        self.passes(lambda new: None)

    def test_requests_may_be_widened(self):
        body = lambda new: schema(new, "NewShop")["properties"]
        self.passes(lambda new: operation(new, "get")["parameters"].append({"in": "query", "name": "q", "schema": {}}))
        self.passes(lambda new: operation(new, "get")["parameters"][1]["schema"].update(minimum=0, maximum=60))
        self.passes(lambda new: operation(new, "put")["requestBody"].update(required=False))
        self.passes(lambda new: body(new).update(phone={"type": "string"}))
        self.passes(lambda new: body(new)["state"]["enum"].append("moved"))
        self.passes(lambda new: body(new)["floor"].update(type="number"))
        self.passes(lambda new: body(new)["name"].update(maxLength=200, minLength=0))
        self.passes(lambda new: schema(new, "NewShop")["required"].clear())
        self.passes(lambda new: body(new)["note"].update(nullable=True))

    def test_answers_may_be_narrowed_and_told_more(self):
        answer = lambda new: schema(new, "Shop")["properties"]
        self.passes(lambda new: answer(new).update(phone={"type": "string"}))
        self.passes(lambda new: answer(new)["state"]["enum"].remove("closed"))
        self.passes(lambda new: answer(new)["size"].update(type="integer"))
        self.passes(lambda new: answer(new)["owner"].pop("nullable"))
        self.passes(lambda new: schema(new, "Shop")["required"].append("size"))
        self.passes(lambda new: operation(new, "get")["responses"].update({"429": {}}))
        self.passes(lambda new: answer(new)["till"]["oneOf"].pop())

    def test_names_of_schemas_and_texts_are_free(self):
        def rename(new):
            schemas = new["components"]["schemas"]
            schemas["Failure"] = schemas.pop("Error")
            content = operation(new, "get")["responses"]["404"]["content"]
            content["application/json"]["schema"] = {"$ref": "#/components/schemas/Failure"}

        self.passes(rename)
        self.passes(lambda new: schema(new, "Shop").update(description="Where things are sold."))


class Announcements(unittest.TestCase):
    CHANGELOG = """# Changelog

## Unreleased

### Changed

- **Breaking**: `putShop` takes no `note` any more, and
  `Person` has no id.
- `getShop` answers faster.

## 1.0.0

- **Breaking**: `Error` is another.
"""

    def test_only_breaking_entries_of_the_next_release_count(self):
        self.assertEqual(compatibility.announced(self.CHANGELOG), {"putShop", "note", "Person"})
        self.assertEqual(compatibility.announced("# Changelog\n"), set())

    def test_what_is_announced_passes_and_the_rest_is_left(self):
        new = copy.deepcopy(DOCUMENT)
        del new["paths"]["/shops/{shop}"]["put"]
        schema(new, "Person")["properties"].clear()
        schema(new, "Error")["properties"].clear()
        left = compatibility.unannounced(DOCUMENT, new, self.CHANGELOG)
        self.assertEqual([str(change) for change in left], ["Error: the property message of the answer is gone"])

    def test_the_published_document_can_be_compared_with_itself_and_with_nothing(self):
        published = json.loads(compatibility.CURRENT.read_text())
        self.assertEqual(breaks(published, published), [])
        emptied = breaks(published, {**published, "paths": {}})
        operations = [operation for item in published["paths"].values() for operation in item.values()]
        self.assertEqual({change.subject for change in emptied}, {operation["operationId"] for operation in operations})


if __name__ == "__main__":
    unittest.main()
