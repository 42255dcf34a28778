// Text to copy: a key, a command, a snippet.

import { t } from "../base/prefs";
import { IconButton } from "./button";
import { say } from "./feedback";
import { copy } from "./save";

export function CodeBox({ text, label }: { text: string; label?: string }) {
  return (
    <div class="code-box">
      <pre class="code" tabIndex={0} aria-label={label}>{text}</pre>
      <IconButton icon="copy" label={t("do.copy")}
        onClick={() => void copy(text).then(() => say(t("do.copied")))} />
    </div>
  );
}
