"""The list of statuses that no test has seen is complete, and lists none that one has."""

import unittest

from statuses import unseen

DOCUMENT = {
    "paths": {
        "/a": {
            "get": {"operationId": "getA", "responses": {"200": {}, "404": {}, "503": {}}},
            "put": {"operationId": "putA", "responses": {"204": {}, "404": {}, "413": {}, "415": {}}},
        }
    }
}


class Unseen(unittest.TestCase):
    def test_what_was_seen_of_one_operation_is_not_seen_of_another(self):
        self.assertEqual(unseen(DOCUMENT, ["getA 200", "putA 404"]), {"404": ["getA"], "204": ["putA"]})

    def test_everything_was_seen(self):
        self.assertEqual(unseen(DOCUMENT, ["getA 200", "getA 404", "putA 204", "putA 404"]), {})


if __name__ == "__main__":
    unittest.main()
