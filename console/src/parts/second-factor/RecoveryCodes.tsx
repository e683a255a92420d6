import { SecretOnce } from "../SecretOnce";

interface Props {
  codes: readonly string[];
  onClose: () => void;
}

/** Shows new recovery codes the one time that they are known. */
export function RecoveryCodes({ codes, onClose }: Props) {
  return (
    <SecretOnce
      title="Your recovery codes"
      secret={codes.join("\n")}
      file="flagstone-recovery-codes"
      isMany
      onClose={onClose}
    >
      Each of them signs you in once, with your password, when neither the authenticator app nor a passkey is at hand.
      Keep them where you find them without your phone, such as in a password manager. Earlier ones do not work any
      more.
    </SecretOnce>
  );
}
