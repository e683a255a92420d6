import { expect, it } from "vitest";
import { addressOf } from "../../api/request";
import { planRead, planSave, valuesOf } from "./following";

const never = { attemptedAt: null, succeededAt: null, problem: null };
const values = valuesOf({ enabled: false, url: null, intervalHours: 24, ...never });

it("keeps what is set, and says nothing of a URL that is empty", () => {
  expect(values).toEqual({ enabled: false, url: "", intervalHours: 24 });
  expect(planSave(undefined, values).init.body).toEqual({ enabled: false, url: undefined, intervalHours: 24 });
  const url = "https://id.example.com/metadata";
  expect(planSave("corp", { enabled: true, url: ` ${url} `, intervalHours: 6 }).init.body).toEqual({
    enabled: true,
    url,
    intervalHours: 6,
  });
});

it("is about the settings, or about one provider beside them", () => {
  expect(planRead().operation.id).toBe("getSamlMetadataRefresh");
  expect(planSave(undefined, values).operation.id).toBe("setSamlMetadataRefresh");
  expect(planRead("corp").operation.id).toBe("getSignInProviderMetadataRefresh");
  expect(planSave("corp", values).operation.id).toBe("setSignInProviderMetadataRefresh");
  expect(addressOf(planSave("corp", values))).toBe("/api/admin/auth/providers/corp/metadata-refresh");
});
