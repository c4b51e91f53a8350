// A mark for each note in view. placeOf(note): its place from the left of the plot; null: it is not in view.
function markNotes(plot, notes, placeOf, choose) {
  for (const old of plot.querySelectorAll('.note')) old.remove();
  notes.forEach((note, i) => {
    const left = placeOf(note);
    if (left === null) return;
    const mark = document.createElement('span');
    const number = document.createElement('b');
    mark.className = 'note';
    mark.style.left = left;
    number.textContent = i + 1;
    number.title = note.text;
    number.addEventListener('click', () => choose(note));
    mark.append(number);
    plot.append(mark);
  });
}
// The list of all notes; momentOf(note): its time in words.
function listNotes(notes, momentOf, choose) {
  notes.forEach((note, i) => {
    const line = document.createElement('li');
    const number = document.createElement('b');
    number.textContent = i + 1;
    line.append(number, momentOf(note) + ': ' + note.text);
    line.addEventListener('click', () => choose(note));
    document.getElementById('notes').append(line);
  });
}
// Key F shows everything, as in the window.
function onKeyF(act) {
  window.addEventListener('keydown', event => {
    if (event.key.toLowerCase() === 'f' && !event.ctrlKey && !event.altKey && !event.metaKey) act();
  });
}
