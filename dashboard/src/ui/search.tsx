// A field that searches a moment after the last letter.

import { useRef } from "preact/hooks";
import { Icon } from "./icon";

const pause = 250; // ms

export function Search({ label, value, onSearch }:
  { label: string; value: string; onSearch: (text: string) => void }) {
  const timer = useRef<ReturnType<typeof setTimeout>>();
  return (
    <div class="search" role="search">
      <Icon name="search" />
      <input type="search" aria-label={label} placeholder={label} value={value}
        onInput={(event) => {
          const text = event.currentTarget.value;
          clearTimeout(timer.current);
          timer.current = setTimeout(() => onSearch(text), pause);
        }} />
    </div>
  );
}
