"""The story that every generated client plays, here with the functions of openapi-python-client."""

import os
from datetime import datetime, timedelta, timezone
from http import HTTPStatus
from typing import Any

from flagstone_client import AuthenticatedClient
from flagstone_client.api.authentication import get_oidc_settings, set_oidc_settings, set_saml_settings
from flagstone_client.api.dependencies import add_feature_dependency
from flagstone_client.api.events import deprecated_search_events
from flagstone_client.api.features import create_feature, get_features, patch_feature
from flagstone_client.api.import_export import validate_import
from flagstone_client.api.instance import get_instance_insights
from flagstone_client.api.profile import get_profile
from flagstone_client.api.projects import create_project, get_deprecated_project_overview, get_project_health_report
from flagstone_client.api.search import search_events, search_features
from flagstone_client import models
from flagstone_client.types import UNSET, Response

URL = os.environ["FLAGSTONE_URL"]


def client(token: str) -> AuthenticatedClient:
    return AuthenticatedClient(base_url=URL, token=token, prefix="", raise_on_unexpected_status=True)


ADMIN = client(os.environ["FLAGSTONE_ADMIN_TOKEN"])


def just_now(moment: datetime) -> bool:
    return abs(datetime.now(timezone.utc) - moment) < timedelta(minutes=1)


def patch(path: str, value: object) -> models.PatchOperation:
    return models.PatchOperation(op=models.PatchVerb.REPLACE, path=path, value=value)


def assert_refused(response: Response[Any], status: HTTPStatus, name: str) -> models.ApiError:
    assert response.status_code == status, response
    assert isinstance(response.parsed, models.ApiError), response
    assert response.parsed.name == name
    assert response.parsed.id.version == 4
    return response.parsed


def features() -> None:
    profile = get_profile.sync(client=ADMIN)
    assert isinstance(profile, models.Profile)
    assert (profile.root_role.name, profile.projects, profile.features) == ("Admin", [], [])

    created = create_project.sync(client=ADMIN, body=models.CreateProject(id="bakery", name="Bakery"))
    assert isinstance(created, models.ProjectCreated)
    assert (created.id, created.description, created.feature_limit) == ("bakery", UNSET, UNSET)
    body = models.CreateFeature(name="oven-timer", type_="release", description="Rings when the bread is done")
    timer = create_feature.sync("bakery", client=ADMIN, body=body)
    assert isinstance(timer, models.Feature)
    assert timer.description == "Rings when the bread is done"
    assert isinstance(timer.created_at, datetime) and just_now(timer.created_at)
    assert isinstance(timer.lifecycle, models.Lifecycle) and timer.lifecycle.stage is models.LifecycleStage.INITIAL
    assert timer.archived_at is None and timer.tags is UNSET
    second = create_feature.sync(
        "bakery", client=ADMIN, body=models.CreateFeature(name="sour-dough", type_="experiment")
    )
    assert isinstance(second, models.Feature)

    steps = [patch("/description", None), patch("/impressionData", True)]
    patched = patch_feature.sync("bakery", "oven-timer", client=ADMIN, body=steps)
    assert isinstance(patched, models.Feature)
    assert (patched.description, patched.impression_data) == (None, True)

    listed = get_features.sync("bakery", client=ADMIN)
    assert isinstance(listed, models.Features)
    assert listed.version == 2
    assert [feature.name for feature in listed.features] == ["oven-timer", "sour-dough"]
    environments = listed.features[0].environments
    assert environments and [environment.enabled for environment in environments] == [False, False]


def searches() -> None:
    found = search_features.sync(
        client=ADMIN, project="IS:bakery", sort_by="name", limit="1", status=["production:disabled"]
    )
    assert isinstance(found, models.SearchFeatures)
    assert (found.total, len(found.features)) == (2, 1)
    timer = found.features[0]
    assert (timer.name, timer.dependency_type, timer.segments) == ("oven-timer", None, [])
    assert (timer.environments[0].yes, timer.created_by.id) == (0, -42)

    events = search_events.sync(client=ADMIN, project="IS:bakery", type_="IS:feature-created")
    assert isinstance(events, models.EventSearchResult)
    assert events.total == 2
    latest = events.events[0]
    assert latest.type_ is models.EventType.FEATURE_CREATED
    assert (latest.feature_name, latest.pre_data, latest.environment) == ("sour-dough", None, None)
    assert latest.data and latest.data["type"] == "experiment"

    asked = models.EventSearch(type_=models.EventType.PROJECT_CREATED, project="bakery")
    old = deprecated_search_events.sync(client=ADMIN, body=asked)
    assert isinstance(old, models.Events)
    assert (old.version, old.total_events, old.events[0].project) == (1, 1, "bakery")


def dependencies() -> None:
    body = models.AddFeatureDependency(feature="oven-timer")
    added = add_feature_dependency.sync_detailed("bakery", "sour-dough", client=ADMIN, body=body)
    assert added.status_code == HTTPStatus.OK, added
    found = search_features.sync(client=ADMIN, project="IS:bakery", sort_by="name")
    assert isinstance(found, models.SearchFeatures)
    types = [(one.name, one.dependency_type) for one in found.features]
    assert types == [("oven-timer", "parent"), ("sour-dough", "child")]


def reports() -> None:
    report = get_project_health_report.sync("bakery", client=ADMIN)
    assert isinstance(report, models.HealthReport)
    assert (report.mode, report.feature_limit) == (models.ProjectMode.OPEN, None)
    assert (report.active_count, report.health) == (2, 100)
    assert isinstance(report.feature_naming, models.ProjectFeatureNaming) and report.feature_naming.pattern is None
    overview = get_deprecated_project_overview.sync("bakery", client=ADMIN)
    assert isinstance(overview, models.DeprecatedProjectOverview)
    assert isinstance(overview.stats, models.ProjectStats) and overview.stats.created_current_window == 2
    assert overview.environments
    assert [one.environment for one in overview.environments] == ["development", "production"]

    ends_with = models.Constraint(
        context_name="userId", operator=models.ConstraintOperator.STR_ENDS_WITH, values=["@example.com"]
    )
    feature = models.Feature(name="rye", description=None, created_at=datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc))
    strategy = models.FeatureStrategy(name="proofing", feature_name="rye", constraints=[ends_with])
    data = models.ImportData(features=[feature], feature_strategies=[strategy], tag_types=[])
    findings = validate_import.sync(
        client=ADMIN, body=models.ImportRequest(project="bakery", environment="development", data=data)
    )
    assert isinstance(findings, models.ImportFindings)
    assert [finding.affected_items for finding in findings.errors] == [["proofing"]]
    assert findings.warnings == []

    insights = get_instance_insights.sync(client=ADMIN)
    assert isinstance(insights, models.InstanceInsights)
    assert (insights.flags.total, insights.users.active) == (2, 0)
    assert insights.user_trends[0].date > datetime.now(timezone.utc) - timedelta(minutes=1)


def settings() -> None:
    first = get_oidc_settings.sync(client=ADMIN)
    assert isinstance(first, models.OidcSettingsDisabled) and first.to_dict() == {"enabled": False}
    enabled = models.OidcSettingsEnabled(
        enabled=True,
        client_id="flagstone",
        secret="kept to ourselves",
        discover_url="https://login.example.com",
        default_root_role=models.RootRole.EDITOR,
        default_root_role_id=2,
        id_token_signing_algorithm=models.SigningAlgorithm.RS512,
    )
    assert set_oidc_settings.sync(client=ADMIN, body=enabled) == enabled
    stored = get_oidc_settings.sync(client=ADMIN)
    assert isinstance(stored, models.OidcSettingsEnabled) and stored == enabled
    off = models.OidcSettingsDisabled(enabled=False, client_id="flagstone")
    assert set_oidc_settings.sync(client=ADMIN, body=off) == off

    provider = models.SamlSettingsEnabled(
        enabled=True,
        entity_id="flagstone",
        sign_on_url="https://login.example.com/saml",
        certificate="MIIBszCCARw",
        auto_create=True,
    )
    assert set_saml_settings.sync(client=ADMIN, body=provider) == provider
    without = models.SamlSettingsDisabled(enabled=False, entity_id="flagstone")
    assert set_saml_settings.sync(client=ADMIN, body=without) == without


def refusals() -> None:
    nobody = get_profile.sync_detailed(client=client("wrong"))
    assert_refused(nobody, HTTPStatus.UNAUTHORIZED, "AuthenticationRequired")
    body = models.CreateFeature(name="sour-dough", type_="release")
    program = create_feature.sync_detailed("bakery", client=client(os.environ["FLAGSTONE_CLIENT_TOKEN"]), body=body)
    assert_refused(program, HTTPStatus.FORBIDDEN, "NoAccessError")
    twice = create_feature.sync_detailed("bakery", client=ADMIN, body=body)
    assert_refused(twice, HTTPStatus.CONFLICT, "NameExistsError")
    nowhere = get_project_health_report.sync_detailed("nowhere", client=ADMIN)
    assert_refused(nowhere, HTTPStatus.NOT_FOUND, "NotFoundError")
    unknown = patch_feature.sync_detailed("bakery", "oven-timer", client=ADMIN, body=[patch("/colour", "brown")])
    error = assert_refused(unknown, HTTPStatus.BAD_REQUEST, "ValidationError")
    assert error.details and [detail.path for detail in error.details] == ["/body/0/path"]


for chapter in (features, searches, dependencies, reports, settings, refusals):
    chapter()
