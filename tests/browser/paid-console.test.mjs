// The reference's console, which the server lets show pages of the paid edition.
import { goThroughChangeRequests } from "./change-requests.mjs";
import { refused as known, serve } from "./console.mjs";
import { showPaidPages } from "./paid-pages.mjs";

await serve(process.env.CONSOLE, process.env.PAID_CONSOLE_SERVER);

const console = "the console";
const project = "quay";
goThroughChangeRequests({ console, project, known, asksFor: false });
showPaidPages({
  console,
  project,
  known,
  pages: [
    [`/projects/${project}`, `crane-of-${project}`],
    ["/search", `crane-of-${project}`],
    [`/projects/${project}/settings/segments`, `ships-of-${project}`],
    ["/insights", /^Total users$/],
  ],
});
