import { MyIdentities } from "./MyIdentities";
import { MyPasskeys } from "./MyPasskeys";
import { MySecondFactor } from "./MySecondFactor";

/** What signs one in beside the password, or without it. */
export function Security() {
  return (
    <>
      <MySecondFactor />
      <MyPasskeys />
      <MyIdentities />
    </>
  );
}
