// An authenticator app: codes by the time (RFC 6238), of a secret in base32.
import { createHmac } from "node:crypto";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const seconds = 30;

function bytesOf(secret) {
  const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Buffer.from(bits.match(/.{8}/g).map((byte) => Number.parseInt(byte, 2)));
}

function codeAt(secret, step) {
  const message = Buffer.alloc(8);
  message.writeBigUInt64BE(BigInt(step));
  const hash = createHmac("sha1", bytesOf(secret)).update(message).digest();
  const number = hash.readUInt32BE(hash[19] & 0xf) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}

/**
 * An app with this secret. A server takes codes of three steps, and each of them once: each call gives one that it did not
 * see, the oldest first, and there are three within half a minute.
 */
export function authenticator(secret) {
  let last = -Infinity;
  return () => {
    const now = Math.floor(Date.now() / 1000 / seconds);
    last = Math.max(last + 1, now - 1);
    if (last > now + 1) throw new Error("the server has seen all codes that it would take by now");
    return codeAt(secret, last);
  };
}
