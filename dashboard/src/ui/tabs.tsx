// One of a few, side by side.

interface TabsProps {
  label: string;
  value: string;
  options: [string, string][];
  onChange: (value: string) => void;
}

export function Tabs({ label, value, options, onChange }: TabsProps) {
  return (
    <div class="tabs" role="group" aria-label={label}>
      {options.map(([word, text]) => (
        <button key={word} type="button" aria-pressed={word === value} onClick={() => onChange(word)}>
          {text}
        </button>
      ))}
    </div>
  );
}
