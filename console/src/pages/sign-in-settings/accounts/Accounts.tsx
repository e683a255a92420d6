import { Title } from "@mantine/core";
import { useRead } from "../../../api/queries";
import areaClasses from "../../../parts/area/Area.module.css";
import { Unread } from "../../../parts/Unread";
import { AccountPolicy } from "./AccountPolicy";
import { draftOf, readAccountPolicy } from "./accountPolicy";
import { ExpiringUsers } from "./ExpiringUsers";

/** What holds for all accounts, however somebody signs in. */
export default function Accounts() {
  const read = useRead(readAccountPolicy);
  return (
    <>
      <section className={`card ${areaClasses.narrow}`} aria-label="Tokens and inactive users">
        <Title order={2} mb="md">
          Tokens and inactive users
        </Title>
        {read.data ? <AccountPolicy stored={draftOf(read.data)} /> : <Unread read={read} rows={14} />}
      </section>
      <section aria-label="Next to be deactivated">
        <Title order={2} mb="sm">
          Next to be deactivated
        </Title>
        <ExpiringUsers policy={read.data} />
      </section>
    </>
  );
}
