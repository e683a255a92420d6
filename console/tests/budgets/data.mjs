// Much of what lists show: six projects of five hundred flags.
const each = 500;

export const projects = Array.from({ length: 6 }, (_, at) => `many-${at + 1}`);
export const total = projects.length * each;

export async function fill(ask) {
  for (const id of projects) {
    await ask("/api/admin/projects", { method: "POST", body: { id, name: `Many flags ${id.at(-1)}` } });
    const names = Array.from({ length: each }, (_, at) => `${id}-flag-${String(at).padStart(3, "0")}`);
    const strategy = (name) => ({
      name: "flexibleRollout",
      featureName: name,
      parameters: { rollout: "50", stickiness: "default", groupId: name },
      constraints: [],
    });
    const data = {
      features: names.map((name) => ({ name, type: "release", description: `Made to fill a list: ${name}` })),
      featureStrategies: names.map(strategy),
      featureEnvironments: names.map((name, at) => ({
        name,
        featureName: name,
        environment: "production",
        enabled: at % 2 === 0,
      })),
      featureTags: [],
      contextFields: [],
      segments: [],
      tagTypes: [],
    };
    await ask("/api/admin/features-batch/import", {
      method: "POST",
      body: { project: id, environment: "production", data },
    });
  }
}
