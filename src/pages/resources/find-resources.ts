import type { ListedResource, ResourceListChoice } from '../../history/resource-list.ts'
import type { ChosenResources } from './choose-resources.ts'

export const rowsPerPage = 50
/** How many names a page reads for a text: no index finds a part of a name. */
export const mostNames = 2000
const namesAtOnce = 1000

export interface FoundResources {
  readonly shown: readonly ListedResource[]
  /** The resource after which the list goes on, which need not be shown; undefined at its end. */
  readonly goesOnAfter: ListedResource | undefined
  /** Whether the page read as many names as it may before it was full. */
  readonly isCut: boolean
}

/** Reads a part of the list of resources. */
type ReadPart = (choice: ResourceListChoice) => Promise<readonly ListedResource[]>

/** A page of the list that is asked for. For a text, it reads a bounded number of names from its place on. */
export async function findResources(
  readPart: ReadPart,
  { list, text }: Pick<ChosenResources, 'list' | 'text'>,
): Promise<FoundResources> {
  if (text !== undefined) return searchList(readPart, list, text)
  // One more than is shown: whether the list goes on.
  const found = await readPart({ ...list, most: rowsPerPage + 1 })
  const shown = found.slice(0, rowsPerPage)
  return { shown, goesOnAfter: found.length > shown.length ? shown.at(-1) : undefined, isCut: false }
}

async function searchList(readPart: ReadPart, list: ChosenResources['list'], text: string): Promise<FoundResources> {
  const wanted = foldLetters(text)
  const shown: ListedResource[] = []
  let last: ListedResource | undefined
  for (let read = 0; read < mostNames; read += namesAtOnce) {
    const part = await readPart({
      ...(last === undefined ? list : listAfter(list, last)),
      most: namesAtOnce,
    })
    for (const resource of part) {
      if ([resource.name, resource.uid].some((value) => foldLetters(value).includes(wanted))) {
        if (shown.length === rowsPerPage) return { shown, goesOnAfter: shown.at(-1), isCut: false }
        shown.push(resource)
      }
      last = resource
    }
    if (part.length < namesAtOnce) return { shown, goesOnAfter: undefined, isCut: false }
  }
  return { shown, goesOnAfter: last, isCut: true }
}

function listAfter(list: ChosenResources['list'], last: ListedResource): ChosenResources['list'] {
  const projects = list.projects.slice(list.projects.findIndex(({ name }) => name === last.project.name))
  return { ...list, projects, after: last }
}

/** ASCII letters in lower case, regardless of the language. */
function foldLetters(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
}
