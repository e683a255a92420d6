import { Archive } from "./Archive";
import { Dependencies } from "./Dependencies";
import { Life } from "./Life";
import { Metadata } from "./Metadata";
import { TagsForm } from "./TagsForm";
import type { Shown } from "../shown";

/** What is so of a feature in all environments. */
export default function Settings(shown: Shown) {
  return (
    <>
      <Metadata {...shown} />
      <TagsForm {...shown} />
      <Dependencies {...shown} />
      <Life {...shown} />
      <Archive {...shown} />
    </>
  );
}
