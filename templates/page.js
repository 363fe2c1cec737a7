for (const code of document.querySelectorAll("[data-copy]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.setAttribute("aria-label", "Copy " + code.dataset.copy);
  button.addEventListener("click", async () => {
    const lines = [...code.querySelectorAll(".plus, .keep")].map((line) => line.textContent.slice(1));
    try {
      await navigator.clipboard.writeText(lines.length ? lines.join("\n") : code.textContent);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Press Ctrl+C";
    }
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  code.after(button);
}
for (const each of document.querySelectorAll("[data-refresh]")) {
  setInterval(() => {
    if (!document.activeElement.matches("input, select")) location.reload();
  }, each.dataset.refresh * 1000);
}
