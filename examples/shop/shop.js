/* What the demo's pages need of a script: the words that were searched stay in
   the box, and the chat gives each question an answer and a slot for ads. */
const box = document.getElementById("q");
if (box) {
  box.value = new URLSearchParams(location.search).get("q") ?? "";
}

const talk = document.getElementById("talk");

function say(text, who) {
  const line = document.createElement("p");
  line.className = who;
  line.textContent = text;
  talk.append(line);
  return line;
}

document.getElementById("ask")?.addEventListener("submit", (event) => {
  event.preventDefault();
  const input = document.getElementById("text");
  const query = new URLSearchParams({ q: input.value, placement: "inline", max: 2 });
  say(input.value, "asked");
  say("Here is what I would look at first. Tell me more, and I will narrow it down.",
    "said");
  const slot = document.createElement("div");
  slot.className = "ads-slot";
  slot.dataset.adsSrc = `/ads/fragment?${query}`;
  talk.append(slot);
  input.value = "";
  slot.scrollIntoView({ block: "nearest" });
});
