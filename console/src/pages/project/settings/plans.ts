import { request, type Schemas } from "../../../api/request";

type Project = Pick<
  Schemas["ProjectOverview"],
  "name" | "description" | "mode" | "defaultStickiness" | "featureLimit" | "featureNaming" | "linkTemplates"
>;

/** What a project is called and who sees it, as its form holds it. */
export const generalOf = ({ name, description, mode, defaultStickiness }: Project) => ({
  name,
  description: description ?? "",
  mode,
  defaultStickiness,
});

export const planGeneral = (projectId: string, body: ReturnType<typeof generalOf>) =>
  request("put", "/api/admin/projects/{projectId}", { params: { path: { projectId } }, body });

const settings = "/api/admin/projects/{projectId}/settings";

/** The rules for its flags. */
export const rulesOf = ({ featureLimit, featureNaming: { pattern, example, description } }: Project) => ({
  // Text, since an empty field is no limit.
  featureLimit: featureLimit == null ? "" : String(featureLimit),
  pattern: pattern ?? "",
  example: example ?? "",
  description: description ?? "",
});

export const planRules = (
  projectId: string,
  { featureLimit, pattern, example, description }: ReturnType<typeof rulesOf>,
) =>
  request("put", settings, {
    params: { path: { projectId } },
    body: {
      featureLimit: featureLimit === "" ? null : Number(featureLimit),
      featureNaming: { pattern, example, description },
    },
  });

/** The links that its new flags get. */
export const linksOf = ({ linkTemplates }: Project) => ({
  templates: linkTemplates.map(({ title, urlTemplate }) => ({ title: title ?? "", urlTemplate })),
});

export const planLinks = (projectId: string, { templates }: ReturnType<typeof linksOf>) =>
  request("put", settings, {
    params: { path: { projectId } },
    body: {
      linkTemplates: templates.map(({ title, urlTemplate }) => ({
        title: title.trim() || null,
        urlTemplate: urlTemplate.trim(),
      })),
    },
  });
