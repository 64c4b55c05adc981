// The script of the buttons that copy commands; without it, a click selects the whole command. It makes no markup from
// text.
{
  function select(element) {
    const range = document.createRange()
    range.selectNodeContents(element)
    getSelection().removeAllRanges()
    getSelection().addRange(range)
  }
  // A page that is read through a plain port has no clipboard, only the command of the editor.
  async function copy(element) {
    try {
      await navigator.clipboard.writeText(element.textContent.trimEnd())
      return true
    } catch {
      select(element)
      return document.execCommand('copy')
    }
  }
  for (const element of document.querySelectorAll('.command')) {
    const button = document.createElement('button')
    const said = document.createElement('span')
    button.type = 'button'
    button.className = 'copy'
    button.textContent = 'Copy'
    button.setAttribute('aria-label', `Copy ${element.textContent.trim().slice(0, 80)}`)
    said.className = 'copied'
    said.setAttribute('aria-live', 'polite')
    element.after(' ', button, ' ', said)
    button.addEventListener('click', async () => {
      said.textContent = ''
      said.textContent = (await copy(element)) ? 'Copied' : 'Selected: copy it with the keyboard'
    })
    button.addEventListener('blur', () => {
      said.textContent = ''
    })
  }
}
