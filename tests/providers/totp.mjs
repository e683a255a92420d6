// One-time passwords by time (RFC 6238) as people's apps make them: six digits for half a minute.
import { createHmac } from "node:crypto";

const alphabet = "abcdefghijklmnopqrstuvwxyz234567";
const stepMs = 30_000;

function decoded(secret) {
  const bits = [...secret.toLowerCase()].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)));
}

// The password of now. `secret` is in base 32.
export function totp(secret) {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / stepMs)));
  const digest = createHmac("sha1", decoded(secret)).update(counter).digest();
  const number = digest.readUInt32BE(digest.at(-1) & 0xf) & 0x7fff_ffff;
  return `${number % 1_000_000}`.padStart(6, "0");
}
