import { List, Text, Title } from "@mantine/core";
import { serverTime } from "../../api/clock";
import areaClasses from "../../parts/area/Area.module.css";
import { Moment } from "../../parts/Moment";
import { certificatesOf, type Certificate } from "./certificates";

const days = 86_400_000;
const soon = 30 * days;

/** The certificates by which signatures of the provider are accepted, with their validity. */
export function Certificates({ setting }: { setting: string }) {
  const found = certificatesOf(setting);
  return (
    <section className={`card ${areaClasses.narrow}`} aria-label="Accepted signatures">
      <Title order={2} mb="sm">
        Accepted certificates
      </Title>
      <Text size="sm" mb="sm">
        A signature by any of them is accepted: while a provider changes its key there are two. One that has expired is
        accepted all the same, and written about in the server’s log; take it out above once the provider uses another.
      </Text>
      {found === undefined && <Text size="sm">The certificates that are saved cannot be shown.</Text>}
      {found?.length === 0 && <Text size="sm">There is none yet.</Text>}
      {found && found.length > 0 && (
        <List size="sm" aria-label="Accepted keys">
          {found.map((certificate) => (
            <List.Item key={`${certificate.serial} ${certificate.notAfter}`} className="breaks">
              <Line {...certificate} />
            </List.Item>
          ))}
        </List>
      )}
    </section>
  );
}

function Line({ name, serial, notBefore, notAfter }: Certificate) {
  const left = Date.parse(notAfter) - serverTime();
  return (
    <>
      <bdi>{name ?? "without a name"}</bdi>, serial number <span className="mono">{serial}</span>, valid from{" "}
      <Moment at={notBefore} absolute /> until <Moment at={notAfter} absolute />
      {left < soon && <span className="chip">{left < 0 ? "expired" : "expires soon"}</span>}
    </>
  );
}
