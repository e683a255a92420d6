import { Radio, Stack, Title } from "@mantine/core";
import { request, type Schemas } from "../../api/request";
import areaClasses from "../../parts/area/Area.module.css";
import { confirm } from "../../parts/confirm";
import { EditForm } from "../../parts/forms/EditDrawer";

type Requirement = Schemas["SecondFactorRequirement"];

const requirements: Record<Requirement, { label: string; description: string }> = {
  nobody: { label: "Nobody", description: "Whoever wants one sets it up, in Me, Security." },
  "root-roles": {
    label: "Users with a permission in the whole instance",
    description: "Administrators, editors, and users with a role of your own that has any permission. Not viewers.",
  },
  everybody: { label: "Everybody", description: "All users who sign in with a password." },
};

type Values = { requiredOf: Requirement };

const plan = ({ requiredOf }: Values) => request("put", "/api/admin/auth/second-factor", { body: { requiredOf } });

const isMeant = async (values: Values) =>
  values.requiredOf === "nobody" ||
  (await confirm({
    title: "Require a second factor",
    action: "Require it",
    requests: [plan(values)],
    consequence:
      "It holds from the next request on, also for whoever is signed in: those without one can do nothing but set it up, you among them. Login providers and tokens are not affected.",
  })) !== undefined;

/** Of whom a second factor is required. */
export function SecondFactorPolicy() {
  return (
    <section className={`card ${areaClasses.narrow}`} aria-label="Second factor">
      <EditForm
        read={request("get", "/api/admin/auth/second-factor")}
        valuesOf={({ requiredOf }): Values => ({ requiredOf })}
        plan={plan}
        events={{ type: "IS_ANY_OF:setting-created,setting-updated", query: "flagstone.second-factor" }}
        done="The policy is saved."
        action={({ requiredOf }) => (requiredOf === "nobody" ? "Save" : "Save …")}
        isMeant={isMeant}
        isLasting={() => true}
      >
        {({ requiredOf }, set) => (
          <>
            <Title order={2}>Second factor</Title>
            <Radio.Group
              label="Required of"
              description="A code of an authenticator app, beside the password."
              value={requiredOf}
              onChange={(chosen) => set({ requiredOf: chosen })}
            >
              <Stack gap={6} mt="sm">
                {Object.entries(requirements).map(([value, words]) => (
                  <Radio key={value} value={value} {...words} />
                ))}
              </Stack>
            </Radio.Group>
          </>
        )}
      </EditForm>
    </section>
  );
}
