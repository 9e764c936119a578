import { signal } from '@preact/signals';
import { server, type Source } from '../api.ts';

/** Where all data comes from; set once, before anything is drawn. */
export const source = signal<Source>(server);
