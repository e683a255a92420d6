import { Button, Group, Text } from "@mantine/core";
import { useState } from "react";
import type { Schemas } from "../../api/request";
import { useAct } from "../../parts/act";
import areaClasses from "../../parts/area/Area.module.css";
import { Form, FormDrawer } from "../../parts/forms/FormDrawer";
import { Moment } from "../../parts/Moment";
import { Enrolment } from "../../parts/second-factor/Enrolment";
import { ProofInput } from "../../parts/second-factor/ProofInput";
import { notBeside, planRemove, planRenew, type Proof } from "../../parts/second-factor/requests";
import { Proved } from "./Proved";

/** So few are left that there should be new ones. */
const few = 3;

interface Props {
  held: Schemas["OwnSecondFactor"];
  onCodes: (codes: string[]) => void;
}

/** A second factor that is in use: since when, its recovery codes, and the way out. */
export function HeldFactor({ held, onCodes }: Props) {
  const [shown, setShown] = useState<"renew" | "remove" | "enrol">();
  const { factors, recoveryCodesLeft, required } = held;
  const app = factors.find(({ kind }) => kind === "totp");
  return (
    <>
      <dl className={areaClasses.facts}>
        <div className={areaClasses.pair}>
          <dt>Authenticator app</dt>
          <dd>
            {app ? (
              <>
                since <Moment at={app.since} />
              </>
            ) : (
              "none"
            )}
          </dd>
        </div>
        <div className={areaClasses.pair}>
          <dt>Passkeys</dt>
          <dd>{factors.filter(({ kind }) => kind === "passkey").length || "none"}</dd>
        </div>
        <div className={areaClasses.pair}>
          <dt>Recovery codes left</dt>
          <dd className={recoveryCodesLeft <= few ? "warning" : undefined}>
            {recoveryCodesLeft} of 10{recoveryCodesLeft <= few && ": create new ones"}
          </dd>
        </div>
        <div className={areaClasses.pair}>
          <dt>Required of you</dt>
          <dd>{required ? "yes" : "no"}</dd>
        </div>
      </dl>
      <Group gap="sm" mt="md">
        {!app && (
          <Button variant="default" onClick={() => setShown("enrol")}>
            Set up an authenticator app …
          </Button>
        )}
        <Button variant="default" onClick={() => setShown("renew")}>
          New recovery codes …
        </Button>
        <Button variant="outline" color="red" onClick={() => setShown("remove")}>
          Remove …
        </Button>
      </Group>
      {shown === "enrol" && (
        <FormDrawer title="Set up an authenticator app" onClose={() => setShown(undefined)}>
          <Enrolment
            isFurther
            onEnrolled={(codes) => {
              setShown(undefined);
              onCodes(codes);
            }}
          />
        </FormDrawer>
      )}
      {shown === "renew" && (
        <Renewal
          onClose={() => setShown(undefined)}
          onCodes={(codes) => {
            setShown(undefined);
            onCodes(codes);
          }}
        />
      )}
      {shown === "remove" && <Removal required={required} onClose={() => setShown(undefined)} />}
    </>
  );
}

function Renewal({ onClose, onCodes }: { onClose: () => void; onCodes: (codes: string[]) => void }) {
  const [code, setCode] = useState("");
  const { act, busy, error } = useAct({ inline: true });
  const planned = planRenew({ code });

  async function renew(proof: Proof) {
    const done = await act({ request: planRenew(proof) });
    if (done) onCodes(done.data.codes);
  }

  return (
    <FormDrawer title="New recovery codes" onClose={onClose}>
      <Form
        request={planned}
        action="Create new codes"
        busy={busy}
        error={notBeside(error)}
        because={code.trim() ? undefined : "The code is missing."}
        onSubmit={() => void renew({ code })}
        onCancel={onClose}
      >
        <Text size="sm">Ten new codes take the place of all earlier ones, used or not.</Text>
        <ProofInput
          code={code}
          onChange={setCode}
          onAnswer={(passkey) => void renew({ passkey })}
          isWaiting={busy}
          error={error}
        />
      </Form>
    </FormDrawer>
  );
}

function Removal({ required, onClose }: { required: boolean; onClose: () => void }) {
  return (
    <Proved
      title="Remove your second factor"
      action="Remove it"
      done="Your second factor is removed."
      plan={planRemove}
      onDone={onClose}
      onClose={onClose}
    >
      The app, all passkeys and all recovery codes serve no more, and your other sessions end. Personal tokens stay.{" "}
      {required
        ? "Since a second factor is required of you, you can do nothing but set up another one afterwards."
        : "Afterwards your password alone lets you in."}
    </Proved>
  );
}
