import { Text, Title } from "@mantine/core";
import { useState } from "react";
import { useRead, useRefresh } from "../../api/queries";
import areaClasses from "../../parts/area/Area.module.css";
import { Enrolment } from "../../parts/second-factor/Enrolment";
import { RecoveryCodes } from "../../parts/second-factor/RecoveryCodes";
import { readOwn } from "../../parts/second-factor/requests";
import { Unread } from "../../parts/Unread";
import { HeldFactor } from "./HeldFactor";

/** The second factor beside one's password. */
export function MySecondFactor() {
  const read = useRead(readOwn);
  const refresh = useRefresh();
  const [codes, setCodes] = useState<string[]>();
  if (!read.data) return <Unread read={read} rows={3} />;

  function show(fresh: string[]) {
    setCodes(fresh);
    void refresh();
  }

  return (
    <section className={`card ${areaClasses.narrow}`} aria-label="Second factor">
      <Title order={2} mb="sm">
        Second factor
      </Title>
      {read.data.factors.length > 0 ? (
        <HeldFactor held={read.data} onCodes={show} />
      ) : (
        <>
          {read.data.required && (
            <Text size="sm" mb="sm" className="warning">
              A second factor is required of you.
            </Text>
          )}
          <Enrolment onEnrolled={show} />
        </>
      )}
      <Text size="sm" mt="md" className="muted">
        It counts when you sign in with your password. A login provider asks for its own, and personal tokens need none.
      </Text>
      {codes && <RecoveryCodes codes={codes} onClose={() => setCodes(undefined)} />}
    </section>
  );
}
