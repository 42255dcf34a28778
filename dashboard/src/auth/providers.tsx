// Google, GitHub, Microsoft: those that the operator configured.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ask, type Result } from "../api/client";
import { expectReturn } from "../api/session";
import { named, t } from "../base/prefs";

type Provider = Result<"/v1/auth/oauth", "get">["data"][number];

/** `apart`: in another tab, which gives this one its token when it is done. */
export function Providers({ apart }: { apart?: boolean }) {
  const providers = useSignal<Provider[]>([]);
  useEffect(() => {
    ask("get", "/v1/auth/oauth", { open: true })
      .then(({ data }) => { providers.value = data.data; })
      .catch(() => undefined); // the password form is there
  }, []);
  if (!providers.value.length) {
    return null;
  }
  return (
    <>
      <div class="providers">
        {providers.value.map(({ provider, url }) => (
          <a key={provider} class="button" href={url} onClick={expectReturn}
            target={apart ? "_blank" : undefined} rel={apart ? "noopener" : undefined}>
            {t("auth.with", { provider: named("provider", provider) })}
          </a>
        ))}
      </div>
      <p class="or">{t("auth.or")}</p>
    </>
  );
}
