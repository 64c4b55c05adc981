/**
 * The one script of the pages, which work without it: filters rows as you type, moves through them by key, and says how
 * long ago a time was, unless the page has said so (`data-aged`). It reads and writes nothing but the page, and makes no
 * markup from text.
 */
export const browserScript = `'use strict'
{
  const rows = [...document.querySelectorAll('main tbody tr, main .rows > li')]
  const given = document.querySelector('input[data-filter]')
  const field = given || (rows.length > 5 && location.pathname !== '/' ? makeField() : null)
  function makeField() {
    const label = document.createElement('label')
    const input = document.createElement('input')
    label.className = 'quick'
    label.append('Filter these rows ', input)
    input.type = 'search'
    input.autocomplete = 'off'
    document.getElementById('main').prepend(label)
    return input
  }
  function filter() {
    const words = field.value.toLowerCase().split(/\\s+/)
    let shown = 0
    for (const row of rows) {
      const text = row.textContent.toLowerCase()
      row.hidden = !words.every((word) => text.includes(word))
      if (row.hidden) continue
      shown++
      const fold = field.value && row.closest('details')
      if (fold) fold.open = true
    }
    count.textContent = field.value === '' ? '' : shown + ' of ' + rows.length + ' rows of this page'
  }
  const count = document.createElement('span')
  if (field) {
    count.setAttribute('role', 'status')
    count.className = 'soft'
    field.parentElement.after(' ', count)
    field.addEventListener('input', filter)
    if (!given) field.parentElement.title = 'Press / to filter, j and k to move, Enter to open'
  }
  const isWriting = (element) => /^(INPUT|SELECT|TEXTAREA)$/.test(element.tagName)
  function move(step) {
    const links = rows.filter((row) => row.offsetParent).map((row) => row.querySelector('a[href]')).filter(Boolean)
    if (links.length === 0) return
    const row = document.activeElement.closest('tr, .rows > li')
    const at = links.findIndex((link) => row && row.contains(link))
    const next = at < 0 ? (step > 0 ? 0 : links.length - 1) : Math.min(Math.max(at + step, 0), links.length - 1)
    links[next].focus()
  }
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (isWriting(event.target)) {
      if (event.key === 'Escape') event.target.blur()
      return
    }
    if (event.key === '/' && field) field.focus()
    else if (event.key === 'j') move(1)
    else if (event.key === 'k') move(-1)
    else return
    event.preventDefault()
  })
  const units = [[86400, 'd'], [3600, 'h'], [60, 'min']]
  for (const time of document.querySelectorAll('time[datetime]:not([data-aged])')) {
    const s = (Date.now() - Date.parse(time.dateTime)) / 1000
    const found = units.find(([length]) => Math.abs(s) >= length)
    const away = found ? Math.floor(Math.abs(s) / found[0]) + ' ' + found[1] : ''
    const text = !away ? 'now' : s > 0 ? away + ' ago' : 'in ' + away
    if (!Number.isNaN(s)) time.after(' (' + text + ')')
  }
}
`
