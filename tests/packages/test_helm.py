"""The chart: linted and rendered by Helm's own engine, and judged by the schemas of Kubernetes."""

import json
import os
import pathlib
import re
import unittest

import helm_python
import kubernetes_validate
import yaml

import chart_values
import known

CHART = known.REPOSITORY / "packaging/helm/flagstone"
# The oldest that the chart admits, one between, the newest that the schemas know.
CLUSTERS = ("1.25", "1.31", "1.37")
SECRET = {"existingSecret": "flagstone"}
FROM = {"existingSecret": "others", "key": "its-key"}
# What the chart has a value of its own for.
OWN = {"serve": {"DATABASE_URL", "FLAGSTONE_SECRET_KEY", "UNLEASH_DEFAULT_ADMIN_PASSWORD", "FLAGSTONE_METRICS_TOKEN"},
       "edge": {"TOKENS"}}
EXTRA = {"extraEnv": [{"name": "FLAGSTONE_LOG_FORMAT", "value": "json"}], "extraEnvFrom": [{"secretRef": {"name": "more"}}],
         "extraVolumes": [{"name": "more", "secret": {"secretName": "more"}}],
         "extraVolumeMounts": [{"name": "more", "mountPath": "/run/more"}]}
AUTHORITY = {"existingConfigMap": "company-ca", "key": "company.pem"}
POSTGRES = {"replicas": 3, "database": SECRET, "secretKey": SECRET, "firstUser": SECRET, "metrics": SECRET,
            "baseUrl": "https://flags.example.com"}
SHAPES = {
    "as it comes": {},
    "a claim that is there": {"persistence": {"existingClaim": "mine"}, "settings": {"FLAGSTONE_SESSION_HOURS": 12}},
    "PostgreSQL": POSTGRES,
    "everything": {
        **POSTGRES, "trustedProxies": "10.0.0.0/8", "imagePullSecrets": [{"name": "pull"}], "podAnnotations": {"a": "b"},
        "nodeSelector": {"kubernetes.io/arch": "amd64"}, "tolerations": [{"key": "k", "operator": "Exists"}],
        "affinity": {"podAntiAffinity": {}}, "image": {"tag": "1.2.3"},
        "metrics": {**SECRET, "serviceMonitor": {"enabled": True, "labels": {"release": "prometheus"}}},
        "ingress": {"enabled": True, "host": "flags.example.com", "tlsSecret": "tls", "className": "nginx"},
        "service": {"type": "LoadBalancer", "annotations": {"c": "d"}}, "serviceAccount": {"annotations": {"e": "f"}},
        "edge": {"enabled": True, **SECRET, "settings": {"STRICT": True}},
    },
    "every file": {
        **POSTGRES, **EXTRA, "readinessPath": "/ready?for=programs", "settingsFile": {"existingSecret": "settings"},
        "tls": SECRET, "certificateAuthorities": SECRET, "database": {**SECRET, "certificateAuthorities": AUTHORITY},
        "secretSettings": {name: FROM for name in known.documented_secrets("serve") - OWN["serve"]},
        "metrics": {**SECRET, "serviceMonitor": {"enabled": True}},
        "edge": {"enabled": True, **SECRET, **EXTRA, "upstream": "https://flags", "certificateAuthorities": AUTHORITY,
                 "secretSettings": {name: FROM for name in known.documented_secrets("edge") - OWN["edge"]}},
    },
    "an edge alone": {"edge": {"enabled": True, "replicas": 1, **SECRET}, "serviceAccount": {"create": False}},
}
REFUSED = {
    "several servers on SQLite": ({"replicas": 2}, "more than one server needs PostgreSQL"),
    "PostgreSQL without a key": ({"database": SECRET}, "secretKey.existingSecret"),
    "an edge without tokens": ({"edge": {"enabled": True}}, "edge.existingSecret"),
    "a monitor without a token": ({"metrics": {"serviceMonitor": {"enabled": True}}}, "metrics.existingSecret"),
    "an ingress without a host": ({"ingress": {"enabled": True}}, "ingress.host"),
    "a value that is none": ({"replica": 2}, "replica"),
    "a number that is none": ({"replicas": "two"}, "replicas"),
    "an address that is none": ({"baseUrl": "flags.example.com"}, "baseUrl"),
    "a variable that is none": ({"settings": {"session-hours": 1}}, "session-hours"),
    "a secret that everybody reads": ({"settings": {"OIDC_CLIENT_SECRET": "s"}}, "OIDC_CLIENT_SECRET"),
    "a token that everybody reads": ({"edge": {"settings": {"TOKENS": "s"}}}, "TOKENS"),
    "a secret of no variable": ({"secretSettings": {"OIDC_SECRET": FROM}}, "OIDC_SECRET"),
    "a secret without a key": ({"secretSettings": {"OIDC_CLIENT_SECRET": SECRET}}, "key"),
    "a file that is in two places": ({"settingsFile": {**SECRET, "existingConfigMap": "c"}}, "not in both"),
    "authorities of a file": ({"database": {"certificateAuthorities": AUTHORITY}}, "database.certificateAuthorities"),
    "edges without the name in the certificate": ({"tls": SECRET, "edge": {"enabled": True, **SECRET}}, "edge.upstream"),
    "a path that is none": ({"readinessPath": "ready"}, "readinessPath"),
}


def render(values):
    """The objects that a release would make, by kind and name."""
    with helm_python.Chart.load(CHART) as chart:
        rendered = chart.render(values, name="flags", namespace="default")
    documents = [document for path, text in rendered.items() if not path.endswith("NOTES.txt")
                 for document in yaml.safe_load_all(text) if document]
    return {(document["kind"], document["metadata"]["name"]): document for document in documents}


def pods(objects):
    """The templates of pods, by the name of what makes them."""
    return {name: document["spec"]["template"] for (kind, name), document in objects.items() if kind == "Deployment"}


class Chart(unittest.TestCase):
    """Every shape of a release that the values allow."""

    def test_helm_finds_nothing(self):
        for title, values in SHAPES.items():
            report = helm_python.lint(CHART, values, strict=True)
            findings = [message for message in report["messages"] if message["severity"] > 1]
            self.assertEqual((findings, report.get("errors") or []), ([], []), title)

    def test_kubernetes_takes_it(self):
        for title, values in SHAPES.items():
            objects = render(values)
            self.assertTrue(objects, title)
            for (kind, name), document in objects.items():
                if kind == "ServiceMonitor":  # Of Prometheus' operator, whose schema Kubernetes does not have.
                    continue
                for cluster in CLUSTERS:
                    with self.subTest(shape=title, kind=kind, name=name, cluster=cluster):
                        kubernetes_validate.validate(document, cluster, strict=True)

    def test_schema_refuses_what_is_not_kubernetes(self):
        """That the check above can fail."""
        pod = render({})[("Deployment", "flags-flagstone")]
        pod["spec"]["template"]["spec"]["containers"][0]["livenesProbe"] = {}
        with self.assertRaises(kubernetes_validate.ValidationError):
            kubernetes_validate.validate(pod, CLUSTERS[-1], strict=True)

    def test_what_cannot_work_is_refused(self):
        for title, (values, word) in REFUSED.items():
            with self.subTest(title), self.assertRaises(helm_python.HelmError) as refused:
                with helm_python.Chart.load(CHART) as chart:
                    chart.validate_schema(values)
                render(values)
            self.assertIn(word, str(refused.exception), title)

    def test_pods_are_restricted(self):
        """The rules of the `restricted` Pod Security Standard, and a root file system that nobody writes to."""
        for title, values in SHAPES.items():
            for name, template in pods(render(values)).items():
                with self.subTest(shape=title, pod=name):
                    spec = template["spec"]
                    self.assertFalse(spec["automountServiceAccountToken"])
                    self.assertTrue(spec["securityContext"]["runAsNonRoot"])
                    self.assertEqual(spec["securityContext"]["seccompProfile"], {"type": "RuntimeDefault"})
                    self.assertLessEqual({kind for volume in spec["volumes"] for kind in volume if kind != "name"},
                                         {"emptyDir", "persistentVolumeClaim", "secret", "configMap"})
                    for container in spec["containers"]:
                        self.assertEqual(container["securityContext"], {
                            "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "runAsNonRoot": True,
                            "capabilities": {"drop": ["ALL"]}})
                        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
                            self.assertIn("httpGet", container[probe])
                        self.assertIn("memory", container["resources"]["limits"])

    def test_what_it_sets_is_known(self):
        seen = set()
        for values in SHAPES.values():
            for template in pods(render(values)).values():
                container = template["spec"]["containers"][0]
                command = container["args"][0]
                for name in {(command, variable["name"]) for variable in container["env"]} - seen:
                    self.assertTrue(known.takes(*name), name)
                    seen.add(name)

    def test_secrets_are_never_values(self):
        """Each that the program reads from a file is a file of its own, which its variable names and nobody else reads."""
        objects = render(SHAPES["every file"])
        for name, template in pods(objects).items():
            container = template["spec"]["containers"][0]
            command = container["args"][0]
            mounts = {mount["mountPath"]: mount for mount in container["volumeMounts"]}
            volumes = {volume["name"]: volume for volume in template["spec"]["volumes"]}
            self.assertEqual(len(volumes), len(template["spec"]["volumes"]), "each has a name of its own")
            found = set()
            for variable in container["env"]:
                self.assertNotIn("valueFrom", variable)
                secret = variable["name"].removesuffix("_FILE")
                self.assertNotIn(variable["name"], known.secrets(command))
                if secret not in known.secrets(command):
                    continue
                folder, file = variable["value"].rsplit("/", 1)
                self.assertTrue(mounts[folder]["readOnly"], secret)
                source = volumes[mounts[folder]["name"]]["secret"]
                named, key = ("flagstone", secret) if secret in OWN[command] else ("others", "its-key")
                self.assertEqual(source["items"], [{"key": key, "path": file}])
                self.assertEqual((source["secretName"], source["defaultMode"]), (named, 0o440))
                found.add(secret)
            self.assertEqual(found, known.secrets(command), name)

    def test_the_document_lists_every_secret(self):
        for command in ("serve", "edge"):
            self.assertEqual(known.documented_secrets(command), known.secrets(command), command)

    def test_files_are_where_their_variables_say(self):
        for template in pods(render(SHAPES["every file"])).values():
            container = template["spec"]["containers"][0]
            mounted = set()
            for mount in container["volumeMounts"]:
                volume, = [volume for volume in template["spec"]["volumes"] if volume["name"] == mount["name"]]
                source = volume.get("secret") or volume.get("configMap") or {}
                names = [item["path"] for item in source.get("items", [])] or ["tls.crt", "tls.key"]
                mounted |= {f"{mount['mountPath']}/{name}" for name in names}
            for variable in container["env"]:
                if re.fullmatch(r"FLAGSTONE_(CONFIG|CA_FILE|TLS_CERTIFICATE|TLS_KEY)|UPSTREAM_CERTIFICATE_FILE",
                                variable["name"]):
                    self.assertIn(variable["value"], mounted, variable["name"])
        self.assertIn("/run/certificates/database/ca.crt", (CHART / "README.md").read_text(encoding="utf-8"))

    def test_the_example_is_taken(self):
        example, = re.findall(r"```yaml values.yaml\n(.*?)```", (CHART / "README.md").read_text(encoding="utf-8"), re.DOTALL)
        server = render(yaml.safe_load(example))[("Deployment", "flags-flagstone")]["spec"]["template"]["spec"]
        mounts = [mount["mountPath"] for mount in server["containers"][0]["volumeMounts"]]
        for folder in ("secrets/OIDC_CLIENT_SECRET", "certificates/database", "certificates/outgoing"):
            self.assertIn(f"/run/{folder}", mounts)

    def test_probes_ask_what_the_values_say(self):
        default = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))["readinessPath"]
        for title, path, scheme in (("as it comes", default, "HTTP"), ("every file", "/ready?for=programs", "HTTPS")):
            objects = render(SHAPES[title])
            container = objects[("Deployment", "flags-flagstone")]["spec"]["template"]["spec"]["containers"][0]
            self.assertEqual(container["readinessProbe"]["httpGet"], {"path": path, "port": "http", "scheme": scheme})
            self.assertEqual(container["livenessProbe"]["httpGet"], {"path": "/health", "port": "http", "scheme": scheme})

    def test_servers_are_replaced_one_after_the_other_where_they_can_be(self):
        for title, values in SHAPES.items():
            strategy = render(values)[("Deployment", "flags-flagstone")]["spec"]["strategy"]
            rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
            expected = rolling if "existingSecret" in values.get("database", {}) else {"type": "Recreate"}
            self.assertEqual(strategy, expected, title)

    def test_services_find_their_pods(self):
        for title, values in SHAPES.items():
            objects = render(values)
            for kind, selected in (("Service", lambda d: d["spec"]["selector"]),
                                   ("PodDisruptionBudget", lambda d: d["spec"]["selector"]["matchLabels"])):
                for (its, name), document in objects.items():
                    if its == kind:
                        wanted = selected(document).items()
                        found = [pod for pod in pods(objects).values() if wanted <= pod["metadata"]["labels"].items()]
                        self.assertEqual(len(found), 1, f"{title}: {kind} {name}")

    def test_one_server_on_sqlite_is_never_two(self):
        objects = render({})
        self.assertEqual(objects[("Deployment", "flags-flagstone")]["spec"]["strategy"], {"type": "Recreate"})
        claim = objects[("PersistentVolumeClaim", "flags-flagstone")]
        self.assertEqual(claim["metadata"]["annotations"]["helm.sh/resource-policy"], "keep")
        self.assertNotIn(("PodDisruptionBudget", "flags-flagstone"), objects)

    def test_values_are_documented(self):
        self.assertEqual((CHART / "README.md").read_text(encoding="utf-8"), chart_values.readme(),
                         "tests/packages/chart_values.py writes the table")
        values, schema = chart_values.read()
        names = {name for name, _, _ in chart_values.leaves(values, schema)}
        self.assertLessEqual({"replicas", "database.existingSecret", "edge.existingSecret"}, names)
        self.assertEqual(set(schema["properties"]) - {"global"}, set(values), "the schema and the values are of the same")


class Packaged(unittest.TestCase):
    """The chart as packaging/run makes it."""

    @unittest.skipUnless(os.environ.get("PACKAGES"), "nothing has been packaged")
    def test_helm_reads_it(self):
        file, = pathlib.Path(os.environ["PACKAGES"]).glob("flagstone-chart-*.tgz")
        with helm_python.Chart.load(file) as chart:
            self.assertEqual(chart.metadata["version"], chart.metadata["appVersion"])
            self.assertIn(chart.version, file.name)
            self.assertTrue(chart.render({}, name="flags"))
            self.assertEqual(chart.schema, json.loads((CHART / "values.schema.json").read_text(encoding="utf-8")))


if __name__ == "__main__":
    unittest.main()
