// A resource that is read until an answer comes, so that a broken line or a restart of the server delays a part of a screen and does not
// replace it by an error. A refusal is an error. For reads whose failure a screen shows by itself, there is Solid's createResource.
import { createResource, type InitializedResourceReturn, type ResourceReturn, type ResourceSource } from 'solid-js';
import { surely } from './api';

export function createRead<T>(read: () => Promise<T>): ResourceReturn<T>;
export function createRead<T, S>(of: ResourceSource<S>, read: (of: S) => Promise<T>): ResourceReturn<T>;
export function createRead<T, S>(of: ResourceSource<S> | (() => Promise<T>), read?: (of: S) => Promise<T>): ResourceReturn<T> | InitializedResourceReturn<T> {
  return read ? createResource(of as ResourceSource<S>, (one: S) => surely(() => read(one))) : createResource(() => surely(of as () => Promise<T>));
}
