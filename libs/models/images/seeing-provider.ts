import type { ModelEvent, ModelProvider, ModelRequest } from '#agent';
import type { ImageShelf } from './image-shelf.js';

/** What a process has to show models images with. */
export interface Sight {
  shelf: ImageShelf;
  /** @param model the provider's own name for it */
  readsImages(provider: string, model: string): boolean;
}

/** A provider whose models are shown the images of a conversation, where they read any. Without images it is the provider itself. */
export class SeeingProvider implements ModelProvider {
  constructor(
    private readonly provider: ModelProvider,
    private readonly sight: Sight,
  ) {}

  get id(): string {
    return this.provider.id;
  }

  get account(): string | undefined {
    return this.provider.account;
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const { messages, model } = request;
    const { shelf, readsImages } = this.sight;
    const isShown = messages.some((message) => message.role === 'user' && message.images);
    const imageOf = isShown && readsImages(this.id, model) ? await shelf.views(messages, signal) : undefined;
    yield* this.provider.stream(imageOf ? { ...request, imageOf } : request, signal);
  }
}
