// What the same tasks took in the console as it was before 27 November 2026 (f15367ef), by the same mouse at 1280 px: its
// files were served before a server of today, and each task ended as it ends here. What is not listed could not be done.
const done = {
  "Sign in": [4, 0.5],
  "Create a project": [4, 0.8],
  // The project was chosen each time.
  "Create a flag": [6, 1.5],
  "Mark a flag as a favourite": [4, 0.8],
  "Create a segment": [12, 2.0],
  "Enable a flag in production": [5, 1.5],
  "Grow a share in production: 10, 25, 50, 100 %": [18, 3.2],
  "Find who disabled it": [4, 1.7],
  "Put it back, from its event": [7, 1.9],
  "Ask in the playground why a flag is on for one user and off for another": [7, 0.9],
  "Let a flag depend on another one": [7, 2.1],
  "Find technical debt, and clean it": [4, 1.3],
  "Create an API token": [7, 1.1],
  "Connect an application, until it asks": [4, 7.0],
  "Invite a user": [8, 1.8],
  "Create a role that only switches flags in production": [7, 2.1],
  "Give somebody that role in a project": [11, 2.0],
  // One type of event was chosen from all: there were no presets.
  "Create an integration that fails, and repair it": [20, 5.2],
  "Try OpenID Connect out before it is saved": [12, 5.2],
  "Import flags from a file": [9, 1.6],
};

/** Steps and seconds of a task in the earlier console; a dash where it could not be done. */
export const earlier = (task) => {
  const found = done[task];
  return found ? `${found[0]}, ${found[1].toFixed(1)} s` : "–";
};

/** Steps of all tasks that could be done, and how many these are. */
export const earlierSum = `${Object.values(done).reduce((sum, [steps]) => sum + steps, 0)} for ${Object.keys(done).length} tasks`;
