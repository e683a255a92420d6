import { Radio, Stack, Title } from "@mantine/core";
import { useState } from "react";
import { useRead } from "../../api/queries";
import { request, type Schemas } from "../../api/request";
import { useAct } from "../../parts/act";
import areaClasses from "../../parts/area/Area.module.css";
import { confirm } from "../../parts/confirm";
import { Form } from "../../parts/forms/FormDrawer";
import { Problem } from "../../parts/Problem";
import { Waiting } from "../../parts/Waiting";

type Requirement = Schemas["SecondFactorRequirement"];

const requirements: Record<Requirement, { label: string; description: string }> = {
  nobody: { label: "Nobody", description: "Whoever wants one sets it up, in Me, Security." },
  "root-roles": {
    label: "Users with a permission in the whole instance",
    description: "Administrators, editors, and users with a role of your own that has any permission. Not viewers.",
  },
  everybody: { label: "Everybody", description: "All users who sign in with a password." },
};

const plan = (requiredOf: Requirement) => request("put", "/api/admin/auth/second-factor", { body: { requiredOf } });

/** Of whom a second factor is required. */
export function SecondFactorPolicy() {
  const read = useRead(request("get", "/api/admin/auth/second-factor"));
  if (read.error && !read.data) return <Problem error={read.error} again={() => void read.refetch()} />;
  if (!read.data) return <Waiting rows={3} />;
  return <PolicyForm key={read.data.requiredOf} stored={read.data.requiredOf} />;
}

function PolicyForm({ stored }: { stored: Requirement }) {
  const [requiredOf, setRequiredOf] = useState(stored);
  const { act, busy, error } = useAct({ inline: true });

  async function save() {
    const isSure =
      requiredOf === "nobody" ||
      (await confirm({
        title: "Require a second factor",
        action: "Require it",
        requests: [plan(requiredOf)],
        consequence:
          "It holds from the next request on, also for whoever is signed in: those without one can do nothing but set it up, you among them. Login providers and tokens are not affected.",
      }));
    if (isSure) await act({ request: plan(requiredOf), done: "The policy is saved." });
  }

  return (
    <section className={`card ${areaClasses.narrow}`} aria-label="Second factor">
      <Form
        request={plan(requiredOf)}
        action={requiredOf === "nobody" ? "Save" : "Save …"}
        busy={busy}
        error={error}
        because={requiredOf === stored ? "Nothing is changed yet." : undefined}
        onSubmit={() => void save()}
      >
        <Title order={2}>Second factor</Title>
        <Radio.Group
          label="Required of"
          description="A code of an authenticator app, beside the password."
          value={requiredOf}
          onChange={(chosen) => setRequiredOf(chosen)}
        >
          <Stack gap={6} mt="sm">
            {Object.entries(requirements).map(([value, words]) => (
              <Radio key={value} value={value} {...words} />
            ))}
          </Stack>
        </Radio.Group>
      </Form>
    </section>
  );
}
