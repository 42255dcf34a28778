// On top of a screen whose session ended: its forms keep what was typed, and
// requests that wait go on once somebody is signed in.

import { giveUp, user } from "../api/session";
import { t } from "../base/prefs";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { PasswordForm } from "./gate";
import { Providers } from "./providers";

export function Again() {
  return (
    <Dialog title={t("auth.title.again")} fixed onClose={() => undefined}>
      <div class="stack">
        <p class="soft">{t("auth.again")}</p>
        <Providers apart />
        <PasswordForm email={user.value?.email} />
        <Button look="quiet" onClick={giveUp}>{t("auth.out")}</Button>
      </div>
    </Dialog>
  );
}
