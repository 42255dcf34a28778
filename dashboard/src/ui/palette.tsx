// The command palette, Ctrl-K: every screen and what can be done, by a few
// letters.

import { signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { score } from "../base/match";
import { t } from "../base/prefs";
import { Icon, type IconName } from "./icon";

export interface Command {
  label: string;
  icon: IconName;
  run: () => void;
  hint?: string;
}

export const paletteOpen = signal(false);

/** Ctrl-K or Cmd-K everywhere, "/" where nothing is typed. */
export function usePaletteKey(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const typing = (event.target as Element | null)
        ?.closest("input, textarea, select, [contenteditable]");
      if ((event.key === "k" && (event.ctrlKey || event.metaKey))
        || (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey)) {
        event.preventDefault();
        paletteOpen.value = !paletteOpen.value;
      }
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}

export function Palette({ commands }: { commands: Command[] }) {
  return paletteOpen.value ? <Open commands={commands} /> : null;
}

function Open({ commands }: { commands: Command[] }) {
  const box = useRef<HTMLDialogElement>(null);
  const typed = useSignal("");
  const at = useSignal(0);
  useEffect(() => {
    const dialog = box.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  const found = commands
    .map((command) => ({ command, points: score(command.label, typed.value) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points)
    .map(({ command }) => command);
  const close = () => { paletteOpen.value = false; };
  const run = (command: Command | undefined) => {
    if (command) {
      close();
      command.run();
    }
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && found.length) {
      event.preventDefault();
      at.value = (at.value + step + found.length) % found.length;
    } else if (event.key === "Enter") {
      event.preventDefault();
      run(found[at.value]);
    }
  };
  return (
    <dialog class="palette" ref={box} aria-label={t("palette.title")}
      onCancel={(event) => { event.preventDefault(); close(); }}
      onClick={(event) => { if (event.target === box.current) close(); }}>
      <div class="palette-head">
        <Icon name="search" />
        <input type="text" role="combobox" aria-expanded="true" aria-controls="palette-list"
          aria-activedescendant={found.length ? `palette-${at.value}` : undefined}
          aria-label={t("palette.title")} placeholder={t("palette.hint")} value={typed.value}
          autoComplete="off" onKeyDown={press}
          onInput={(event) => { typed.value = event.currentTarget.value; at.value = 0; }} />
      </div>
      <ul id="palette-list" role="listbox" aria-label={t("palette.title")}>
        {found.map((command, n) => (
          <li key={command.label} id={`palette-${n}`} role="option" aria-selected={n === at.value}
            onPointerMove={() => { at.value = n; }} onClick={() => run(command)}>
            <Icon name={command.icon} />
            <span>{command.label}</span>
            {command.hint && <span class="faint small">{command.hint}</span>}
          </li>
        ))}
      </ul>
      {!found.length && <p class="palette-none faint" role="status">{t("palette.none")}</p>}
    </dialog>
  );
}
