// The pages of administrators in both themes, wide and narrow, with something in every list.
import { before } from "node:test";
import { testPages } from "./look.mjs";
import { pages, prepare } from "./looks/administration.mjs";

before(prepare);
testPages(pages);
