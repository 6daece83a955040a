"use strict";
(() => {
  const box = document.getElementById("filters");
  const list = document.getElementById("list");
  if (!box || !list) return;
  const all = [...list.querySelectorAll("details.dialogue")];
  const fields = [...box.querySelectorAll("select")];
  const query = document.getElementById("f-q");
  const told = document.getElementById("f-count");
  const texts = new Map();
  let wish = "";

  const textOf = (one) => {
    if (!texts.has(one)) texts.set(one, one.textContent.toLowerCase());
    return texts.get(one);
  };
  const key = (field) => field.id.slice(2);

  function show() {
    const words = query.value.trim().toLowerCase();
    let seen = 0;
    for (const one of all) {
      const fits = (!wish || one.dataset.wish === wish)
        && fields.every((field) => !field.value || one.dataset[key(field)].split(" ").includes(field.value))
        && (!words || textOf(one).includes(words));
      one.hidden = !fits;
      if (fits && wish) one.open = true;
      seen += fits;
    }
    list.classList.toggle("together", Boolean(wish));
    told.textContent = `${seen} of ${all.length} dialogues shown` + (wish ? ", all about the same wish" : "");
  }

  function remember() {
    const state = new URLSearchParams();
    for (const field of fields) if (field.value) state.set(key(field), field.value);
    if (query.value) state.set("q", query.value);
    if (wish) state.set("wish", wish);
    const text = state.toString();
    history.replaceState(null, "", text ? "#filter:" + text : location.pathname + location.search);
  }

  function follow() {
    const hash = location.hash.slice(1);
    if (hash.startsWith("filter:")) {
      const state = new URLSearchParams(hash.slice(7));
      for (const field of fields) {
        const given = state.get(key(field)) || "";
        field.value = [...field.options].some((one) => one.value === given) ? given : "";
      }
      query.value = state.get("q") || "";
      wish = state.get("wish") || "";
      show();
      box.scrollIntoView();
      return;
    }
    const target = hash && document.getElementById(hash);
    const home = target && target.closest("details.dialogue");
    if (!home) return;
    if (home.hidden) clear();
    home.open = true;
    (target.closest("li") || home).scrollIntoView();
  }

  function clear() {
    for (const field of fields) field.value = "";
    query.value = "";
    wish = "";
    show();
  }

  function step(by) {
    const open = all.filter((one) => !one.hidden);
    const here = open.findIndex((one) => one.contains(document.activeElement));
    const next = open[here < 0 ? (by > 0 ? 0 : open.length - 1) : here + by];
    if (!next) return;
    if (here >= 0 && !wish) open[here].open = false;
    next.open = true;
    next.querySelector("summary").focus();
    next.scrollIntoView();
  }

  for (const field of fields) field.addEventListener("change", () => { show(); remember(); });
  query.addEventListener("input", () => { show(); remember(); });
  document.getElementById("f-clear").addEventListener("click", () => { clear(); remember(); });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (event.key === "n") step(1);
    else if (event.key === "p") step(-1);
    else if (event.key === "/") { event.preventDefault(); query.focus(); }
  });
  window.addEventListener("hashchange", follow);
  for (const one of document.querySelectorAll(".scripted")) one.hidden = false;
  box.hidden = false;
  show();
  follow();
})();
