// A script of the pages, which work without it: filters rows as you type, moves through them by key, and says how long
// ago a time was, unless the page has said so (`data-aged`). It reads and writes nothing but the page, and makes no markup
// from text.
{
  const rows = [...document.querySelectorAll('main tbody tr, main .rows > li')]
  const given = document.querySelector('input[data-filter]')
  const search = document.querySelector('form[role=search] [name=text]')
  const field = given || (rows.length > 5 && location.pathname !== '/' ? makeField() : null)
  function makeField() {
    const label = document.createElement('label')
    const input = document.createElement('input')
    label.className = 'quick'
    label.append('Filter these rows ', input)
    input.autocomplete = 'off'
    document.querySelector('main table, main .rows').before(label)
    return input
  }
  const count = document.createElement('span')
  function filter() {
    const words = field.value.toLowerCase().split(/\s+/)
    let shown = 0
    for (const row of rows) {
      const text = row.textContent.toLowerCase()
      row.hidden = !words.every((word) => text.includes(word))
      if (row.hidden) continue
      shown++
      const fold = field.value && row.closest('details')
      if (fold) fold.open = true
    }
    const found = `${shown} of ${rows.length} rows of this page`
    count.textContent = field.value === '' ? '' : search ? `${found}. Enter searches all pages.` : found
  }
  if (field) {
    count.setAttribute('role', 'status')
    count.className = 'soft'
    field.parentElement.after(' ', count)
    field.addEventListener('input', filter)
    field.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || !search || field === search || field.value === '') return
      event.preventDefault()
      search.value = field.value
      search.form.submit()
    })
    if (!given) field.parentElement.title = 'Press / to filter, j and k to move, Enter to open'
    if (location.hash === '#filter') field.focus()
  }
  const isWriting = (element) => /^(INPUT|SELECT|TEXTAREA)$/.test(element.tagName)
  function move(step) {
    const links = rows
      .filter((row) => row.offsetParent)
      .map((row) => row.querySelector('a[href]'))
      .filter(Boolean)
    if (links.length === 0) return
    const row = document.activeElement.closest('tr, .rows > li')
    const at = links.findIndex((link) => row?.contains(link))
    const next = at < 0 ? (step > 0 ? 0 : links.length - 1) : Math.min(Math.max(at + step, 0), links.length - 1)
    links[next].focus()
  }
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (isWriting(event.target)) {
      if (event.key === 'Escape') event.target.blur()
      return
    }
    if (event.key === '/') {
      if (field) field.focus()
      else if (location.pathname === '/') location.href = '/violations#filter'
      else return
    } else if (event.key === 'Escape' && field && field.value !== '') {
      field.value = ''
      filter()
    } else if (event.key === 'j') move(1)
    else if (event.key === 'k') move(-1)
    else return
    event.preventDefault()
  })
  // Rounded as showOpenTime does, so that a page does not say two things.
  function ago(ms) {
    const minutes = Math.round(Math.abs(ms) / 60000)
    const hours = Math.round(minutes / 60)
    const away = minutes < 60 ? `${minutes} min` : hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} d`
    return minutes < 1 ? 'now' : ms > 0 ? `${away} ago` : `in ${away}`
  }
  for (const time of document.querySelectorAll('time[datetime]:not([data-aged])')) {
    const ms = Date.now() - Date.parse(time.dateTime)
    if (Number.isNaN(ms)) continue
    const span = document.createElement('span')
    span.className = 'ago'
    span.textContent = `(${ago(ms)})`
    time.after(' ', span)
  }
}
