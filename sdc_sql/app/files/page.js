// What the page does by itself: it sends what is clicked, and brings back the focus when a part was drawn anew.
"use strict";
(() => {
  const root = document.documentElement;
  const look = localStorage.getItem("sdc-sql-look");
  if (look) root.dataset.look = look;

  let number = 0;
  const send = (name, value) => {
    if (window.Shiny && Shiny.setInputValue) Shiny.setInputValue(name, value, { priority: "event" });
  };
  const take = (element, more) => send("act", { ...element.dataset, ...more, number: ++number });

  // what was typed in a field: "typed" until it is sent, "sent" from then on
  const touched = new WeakMap();
  document.addEventListener("input", (event) => touched.set(event.target, "typed"), true);

  const read = (field) => {
    if (field.type === "checkbox") return field.checked;
    if (field.multiple) return [...field.selectedOptions].map((option) => option.value);
    return field.value;
  };

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.skip");
    if (link) {
      event.preventDefault();
      document.getElementById("work").focus();
      return;
    }
    const element = event.target.closest("button[data-act], a[data-act]");
    if (!element || element.disabled) return;
    if (element.dataset.act === "go") {
      event.preventDefault();
      go(element.dataset.step, true);
      return;
    }
    if (element.type === "submit") return;
    take(element, {});
  });
  document.addEventListener("change", (event) => {
    if (event.target.id === "look") {
      if (event.target.value) root.dataset.look = event.target.value;
      else delete root.dataset.look;
      localStorage.setItem("sdc-sql-look", event.target.value);
      return;
    }
    const field = event.target.closest("select[data-act], input[data-act], textarea[data-act]");
    if (!field || field.form?.dataset.act) return;
    if (touched.has(field)) touched.set(field, "sent");
    take(field, { value: read(field) });
  });
  document.addEventListener("submit", (event) => {
    event.preventDefault();
    const form = event.target;
    if (!form.dataset.act) return;
    const fields = {};
    for (const field of form.elements) {
      if (!field.name) continue;
      if (touched.has(field)) touched.set(field, "sent");
      if (field.type === "radio" && !field.checked) continue;
      if (field.type === "checkbox" && field.value !== "on") {
        fields[field.name] = fields[field.name] || [];
        if (field.checked) fields[field.name].push(field.value);
      } else fields[field.name] = read(field);
    }
    take(form, { ...fields, ...(event.submitter?.dataset || {}), act: event.submitter?.dataset.act || form.dataset.act });
  });

  // the step stands in the address, so that a reload, a bookmark and the buttons of the browser find it
  let moved = false;
  const go = (step, focus) => {
    moved = focus;
    if (location.hash !== "#" + step) history.pushState(null, "", "#" + step);
    send("address", step);
  };
  const follow = () => send("address", location.hash.slice(1) || "look");
  window.addEventListener("popstate", () => { moved = true; follow(); });

  // a part that is drawn anew keeps what was typed since the last time that it was sent, and what was refused;
  // a part inside another one is drawn after it: until then its fields wait
  const PATIENCE = 5000;
  let waiting = [];
  const keep = (part) => {
    for (const field of part.querySelectorAll("input[id], select[id], textarea[id]")) {
      if (!touched.has(field)) continue;
      waiting = waiting.filter((one) => one.id !== field.id);
      waiting.push({
        id: field.id, state: touched.get(field), value: field.value, checked: field.checked,
        chosen: [...(field.selectedOptions || [])].map((option) => option.value),
        place: (field.form?.dataset.act ? field.form : field).dataset.place, former: field,
        until: performance.now() + PATIENCE,
      });
    }
  };
  const giveBack = () => {
    const now = performance.now();
    const left = [];
    for (const one of waiting) {
      const field = document.getElementById(one.id);
      if (field && field !== one.former) fill(field, one);
      else if (now < one.until) left.push(one);
    }
    waiting = left;
  };
  const fill = (field, { state, value, checked, chosen, place }) => {
    const refused = place && document.querySelector(`.problem[data-place="${CSS.escape(place)}"]`);
    if (touched.has(field) || (state === "sent" && (!refused || (field.dataset.act && field.tagName === "SELECT")))) return;
    if (field.type === "checkbox" || field.type === "radio") field.checked = checked;
    else if (field.multiple) for (const one of field.options) one.selected = chosen.includes(one.value);
    else if (field.tagName !== "SELECT" || [...field.options].some((one) => one.value === value)) field.value = value;
    touched.set(field, "typed");
  };

  // and the focus, what is open, and where its tables were scrolled to
  const kept = new Map();
  const whole = { focus: null, start: null, end: null };
  document.addEventListener("DOMContentLoaded", () => {
    const choice = document.getElementById("look");
    if (choice && look) choice.value = look;
    document.getElementById("reconnect")?.addEventListener("click", () => location.reload());
    if (!window.jQuery) return;
    jQuery(document).on("shiny:sessioninitialized", () => follow());
    jQuery(document).on("shiny:value", (event) => {
      const part = event.target;
      if (part === document) return; // it is of a part that is not there any more
      const had = document.activeElement;
      if (had && had.id && part.contains(had)) {
        whole.focus = had.id;
        try { whole.start = had.selectionStart; whole.end = had.selectionEnd; } catch { whole.start = null; }
      }
      const open = new Map();
      for (const one of part.querySelectorAll("details[id]")) open.set(one.id, one.open);
      const places = new Map();
      for (const one of part.querySelectorAll(".wide[id]")) places.set(one.id, [one.scrollLeft, one.scrollTop]);
      keep(part);
      kept.set(part.id, { open, places });
    });
    const restore = (part) => {
      giveBack();
      const was = kept.get(part.id);
      if (was) {
        for (const [id, open] of was.open) {
          const one = document.getElementById(id);
          if (one) one.open = open;
        }
        for (const [id, [left, top]] of was.places) {
          const one = document.getElementById(id);
          if (one) { one.scrollLeft = left; one.scrollTop = top; }
        }
      }
      if (moved && document.getElementById("heading") && part.id === "step") {
        moved = false;
        document.getElementById("heading").focus();
        window.scrollTo(0, 0);
        return;
      }
      if (!whole.focus) return;
      const one = document.getElementById(whole.focus);
      if (!one) return;
      if (document.activeElement === document.body || document.activeElement === null) {
        one.focus({ preventScroll: true });
        try { if (whole.start !== null) one.setSelectionRange(whole.start, whole.end); } catch { /* no field of text */ }
      }
      whole.focus = null;
    };
    new MutationObserver((changes) => {
      const parts = new Set();
      for (const change of changes) {
        const part = change.target.closest?.(".shiny-html-output");
        if (part) parts.add(part);
      }
      for (const part of parts) restore(part);
    }).observe(document.body, { childList: true, subtree: true });
    jQuery(document).on("shiny:disconnected", () => {
      document.getElementById("lost").hidden = false;
      const again = async () => {
        try {
          const found = await fetch("/", { cache: "no-store", redirect: "error" });
          if (found.ok) { location.reload(); return; }
        } catch { /* it is not there (yet) */ }
        setTimeout(again, 2000);
      };
      setTimeout(again, 1000);
    });
  });
})();
